"""Which rows a user has: the own ones, or all with permissions for patients."""


def visible(rows, user, owner, right="view"):
    """The rows that the user may see and, with another right, change or delete."""
    if all(user.has_perm(f"clinic.{name}_patient") for name in ("view", right)):
        return rows
    return rows.filter(**{owner: user})
