from rest_framework import viewsets

from .models import Appointment, Doctor, Patient
from .scope import visible
from .serializers import AppointmentSerializer, DoctorSerializer, PatientSerializer

RIGHTS = {"PUT": "change", "PATCH": "change", "DELETE": "delete"}


class Scoped:
    """A user has the own rows, or all with the permissions."""

    def get_queryset(self):
        right = RIGHTS.get(self.request.method, "view")
        return visible(super().get_queryset(), self.request.user, self.owner, right)


class Doctors(viewsets.ReadOnlyModelViewSet):
    queryset = Doctor.objects.all()
    serializer_class = DoctorSerializer
    search_fields = ["name"]
    ordering_fields = ["name"]


class Patients(Scoped, viewsets.ModelViewSet):
    queryset = Patient.objects.all()
    serializer_class = PatientSerializer
    owner = "owner"
    filterset_fields = ["city"]
    search_fields = ["name"]
    ordering_fields = ["name", "city"]

    def perform_create(self, serializer):
        serializer.save(owner=self.request.user)


class Appointments(Scoped, viewsets.ModelViewSet):
    queryset = Appointment.objects.all()
    serializer_class = AppointmentSerializer
    owner = "patient__owner"
    filterset_fields = ["status", "doctor"]
    ordering_fields = ["starts_at", "fee"]
