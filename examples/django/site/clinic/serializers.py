from rest_framework import serializers

from .models import Appointment, Doctor, Patient
from .scope import visible


class DoctorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Doctor
        fields = ["id", "name"]


class PatientSerializer(serializers.ModelSerializer):
    class Meta:
        model = Patient
        fields = ["id", "name", "phone", "city", "created_at"]


class PatientField(serializers.PrimaryKeyRelatedField):
    """The key of a patient whom the caller may see."""

    def get_queryset(self):
        return visible(Patient.objects.all(), self.context["request"].user, "owner")


class AppointmentSerializer(serializers.ModelSerializer):
    patient = PatientField()

    class Meta:
        model = Appointment
        fields = ["id", "patient", "doctor", "status", "fee", "starts_at"]
