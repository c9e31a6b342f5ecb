"""Item types of lists in host functions: unpacked tuples, joined lists, items that do not fit."""

import pytest

from heddle import njit
from heddle.errors import TypingError

pytestmark = pytest.mark.usefixtures("everything_is_freed")


@pytest.mark.parametrize(
    "items", [(1, 2), (1.5,), (1, 2.5), (True, 300), ((1, 2), (3, 4.5)), (1, "a"), ("a", "b")]
)
def test_a_tuple_unpacks_into_a_list(items):
    assert njit(lambda x: [*x])(items) == list(items)
    assert njit(lambda x: [*x, *x])(items) == [*items, *items]
    assert njit(lambda x: [*x, items[0]])(items) == [*items, items[0]]


def test_a_list_of_an_unpacked_tuple_grows():
    @njit
    def grown(x):
        out = [*x]
        out.append(0.5)
        nothing = [*()]
        nothing.append(x[0])
        return out, nothing

    assert grown((1, 2)) == ([1.0, 2.0, 0.5], [1])


def test_a_list_holds_no_items_of_several_types_from_a_tuple():
    @njit
    def mixed(x):
        out = [*x]
        out.append(x[0])
        return out

    with pytest.raises(TypingError, match="this list cannot hold both int64 and unicode_type"):
        mixed((1, "a"))
