"""Calls a Trestle server with a client that openapi-python-client generates from the
server's OpenAPI document. "make generators" generates the package trestle_client, checks
this file with mypy --strict and runs it against a server whose address and demo user are
in TRESTLE_URL, TRESTLE_EMAIL and TRESTLE_PASSWORD."""

import os
from typing import TypeVar

from trestle_client import AuthenticatedClient
from trestle_client.api.clinic import create_patient, delete_patient, get_patient, list_patients
from trestle_client.api.identity import create_auth_token
from trestle_client.api.store import create_order
from trestle_client.models import (
    AddressInput,
    CartEmptyProblem,
    EmailCredentialsInput,
    NotFoundProblem,
    Patient,
    PatientInput,
    PatientsPage,
    PlaceOrderInput,
    Token,
    ValidationFailedProblem,
)

T = TypeVar("T")


def want(kind: type[T], response: object) -> T:
    """Returns a response of a type."""
    assert isinstance(response, kind), f"the response is {response!r}; want {kind.__name__}"
    return response


def sign_in(url: str) -> AuthenticatedClient:
    """Gets a token for the demo user. The generator wants a token for this endpoint too,
    which ignores it."""
    body = EmailCredentialsInput(email=os.environ["TRESTLE_EMAIL"], password=os.environ["TRESTLE_PASSWORD"])
    token = want(Token, create_auth_token.sync(client=AuthenticatedClient(base_url=url, token="none"), body=body))
    return AuthenticatedClient(base_url=url, token=token.token)


def keep_a_record(client: AuthenticatedClient) -> None:
    """Creates, reads, lists and deletes a patient."""
    patient = want(Patient, create_patient.sync(client=client, body=PatientInput(name="Zoya Khan", phone="+915060010099")))
    assert want(Patient, get_patient.sync(client=client, id=patient.id)).name == "Zoya Khan"
    page = want(PatientsPage, list_patients.sync(client=client, search="Zoya"))
    assert page.count >= 1 and patient.id in [one.id for one in page.results]
    assert delete_patient.sync_detailed(client=client, id=patient.id).status_code == 204
    gone = want(NotFoundProblem, get_patient.sync(client=client, id=patient.id))
    assert (gone.status, gone.code) == (404, "not_found")


def read_errors(client: AuthenticatedClient) -> None:
    """Reads an error of each kind: every code has a type of its own."""
    refused = want(ValidationFailedProblem, create_patient.sync(client=client, body=PatientInput(name="", phone="1")))
    assert [(fault.pointer, fault.code) for fault in refused.errors] == [("/name", "required"), ("/phone", "min")]
    address = AddressInput(name="Meera Iyer", phone="+915040070033", line1="7 Temple Street", city="Chennai", state="Tamil Nadu", pincode="600004")
    empty = want(CartEmptyProblem, create_order.sync(client=client, body=PlaceOrderInput(delivery_address=address)))
    assert (empty.status, empty.code) == (409, "cart_empty")


def main() -> None:
    client = sign_in(os.environ["TRESTLE_URL"])
    keep_a_record(client)
    read_errors(client)
    print("ok")


main()
