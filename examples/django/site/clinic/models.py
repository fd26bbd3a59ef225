from django.conf import settings
from django.db import models
from django.utils import timezone


class Doctor(models.Model):
    name = models.CharField(max_length=120)

    class Meta:
        ordering = ["name", "id"]


class Patient(models.Model):
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    name = models.CharField(max_length=120)
    phone = models.CharField(max_length=32, blank=True)
    city = models.CharField(max_length=80, db_index=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["name", "id"]


class Appointment(models.Model):
    class Status(models.TextChoices):
        BOOKED = "booked"
        COMPLETED = "completed"
        CANCELLED = "cancelled"

    patient = models.ForeignKey(Patient, on_delete=models.CASCADE)
    doctor = models.ForeignKey(Doctor, on_delete=models.PROTECT)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.BOOKED)
    fee = models.DecimalField(max_digits=8, decimal_places=2)
    starts_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
