from treadle_ir import shown_as


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
