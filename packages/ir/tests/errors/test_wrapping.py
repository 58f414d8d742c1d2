from treadle_ir.errors import shown_as, wraps


class Wrapper:
    """The class's own words."""

    def _call(self):
        return "the wrapper's"


class Callable:
    def __init__(self):
        self._call = "the function's"
        self.more = 1
        self.__name__ = "named"

    def __call__(self):
        return 0


def test_attributes_do_not_hide_the_methods_of_the_wrapper():
    function = Callable()
    wrapper = Wrapper()
    shown_as(wrapper, function)
    assert wrapper._call() == "the wrapper's"
    assert (wrapper.more, wrapper.__name__, wrapper.__wrapped__) == (1, "named", function)


def test_what_has_no_attributes():
    wrapper = Wrapper()
    shown_as(wrapper, len)
    assert wrapper.__name__ == "len"
    assert wrapper.__wrapped__ is len


def test_attributes_of_other_kinds_than_those_of_functions_are_left_out():
    class Module:
        "Return the argument."

        __name__ = property(lambda self: None)
        __annotations__ = property(lambda self: 0)

        def __init__(self):
            self.more = 1

        def __call__(self):
            return 0

    module = Module()

    @wraps(module)
    def wrapper():
        return module()

    assert (wrapper.__name__, wrapper.__doc__, wrapper.more) == (
        "wrapper",
        "Return the argument.",
        1,
    )
    assert wrapper.__wrapped__ is module
    shown = Wrapper()
    shown_as(shown, module)
    assert (shown.__doc__, shown.more) == ("Return the argument.", 1)


def test_functions_are_shown_as_functools_does():
    def function(x: int) -> int:
        "Return the argument."
        return x

    function.more = 1

    @wraps(function)
    def wrapper(x):
        return x

    assert (wrapper.__name__, wrapper.__doc__, wrapper.more) == (
        "function",
        "Return the argument.",
        1,
    )
    assert wrapper.__annotations__ == function.__annotations__
