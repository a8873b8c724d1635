"""Rules between requests that no schema can express. The documentation of OpenApiTools calls them relations."""

from OpenApiLibCore import IGNORE, PathPropertiesConstraint, PropertyValueConstraint, RelationsMapping


class List(RelationsMapping):
    @staticmethod
    def get_parameter_relations():
        # Only the service makes cursors.
        return [PropertyValueConstraint("after", values=[IGNORE])]


class Read(RelationsMapping):
    @staticmethod
    def get_parameter_relations():
        return [PropertyValueConstraint("If-None-Match", values=['"a1"', IGNORE])]


class Change(RelationsMapping):
    @staticmethod
    def get_parameter_relations():
        return [
            PropertyValueConstraint(
                "If-Match", values=["*", IGNORE], invalid_value='"a1"', invalid_value_error_code=412, error_code=412
            )
        ]


class Plant(RelationsMapping):
    @staticmethod
    def get_path_relations():
        # Without a path of its own, each test creates a plant and uses its Location.
        return [
            PathPropertiesConstraint("", invalid_value="/plants/-13", invalid_value_error_code=404),
            PathPropertiesConstraint("", invalid_value="/plants/x", invalid_value_error_code=400, error_code=400),
        ]


RELATIONS_MAPPING = {
    ("/plants", "get"): List,
    ("/plants/{id}", "get"): Read,
    ("/plants/{id}", "put"): Change,
    ("/plants/{id}", "delete"): Change,
}
PATH_MAPPING = {"/plants/{id}": Plant}
ID_MAPPING = {}
