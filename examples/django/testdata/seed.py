"""Fill the database of the test, and print what the test must know, as one JSON object."""
import json
from datetime import datetime, timedelta, timezone
from decimal import Decimal

from clinic.models import Appointment, Doctor, Patient
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import Group, Permission, User
from rest_framework.authtoken.models import Token

PASSWORD = "four unrelated words"


def user(name, *rights, password=None, **fields):
    made = User.objects.create_user(name, f"{name}@clinic.example", password, **fields)
    made.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return made


ada, bob = user("ada", password=PASSWORD), user("bob", "view_doctor", "change_patient")
vera, ed, di = user("vera"), user("ed", "view_patient", "change_patient"), user("di", "view_patient", "delete_patient")
ina, new = user("ina", password=PASSWORD, is_active=False), user("new", password=PASSWORD)
root = user("root", is_superuser=True)
viewers = Group.objects.create(name="viewers")
viewers.permissions.set(Permission.objects.filter(codename="view_patient"))
vera.groups.add(viewers)
tokens = {u.username: Token.objects.create(user=u).key for u in User.objects.exclude(username="new")}

start = datetime(2025, 3, 1, 9, tzinfo=timezone.utc)
doctors = Doctor.objects.bulk_create([Doctor(name=name) for name in ("Dr Sen", "Dr Das", "Dr Åberg")])
cities = ("Pune", "Delhi", "Agra")
patients = Patient.objects.bulk_create(
    Patient(
        owner=bob if n > 45 else ada, name=f"Patient {n % 10} {chr(65 + n % 26)}", phone=f"555{n:04}",
        city=cities[n % 3], created_at=start + timedelta(days=n, microseconds=n * 1000),
    )
    for n in range(1, 51)
)
patients += Patient.objects.bulk_create([Patient(owner=None, name="Nobody's Own", city="Pune", created_at=start)])
Appointment.objects.bulk_create(
    Appointment(
        patient=patients[n % 51], doctor=doctors[n % 3], status=Appointment.Status.values[n % 3],
        fee=Decimal(n * 1250 + n) / 100, starts_at=None if n % 7 == 0 else start + timedelta(hours=n),
    )
    for n in range(1, 81)
)
print(json.dumps({"iterations": PBKDF2PasswordHasher.iterations, "tokens": tokens}))
