from django.urls import include, path
from rest_framework.authtoken.views import obtain_auth_token
from rest_framework.routers import DefaultRouter

from clinic.views import Appointments, Doctors, Patients

router = DefaultRouter()
router.register("patients", Patients)
router.register("doctors", Doctors)
router.register("appointments", Appointments)

urlpatterns = [path("api/", include(router.urls)), path("auth/token/", obtain_auth_token)]
