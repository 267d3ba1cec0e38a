package io.argosy.server.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.selector.FieldSelector;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.cache.ResourceCache.Stock;
import io.argosy.server.flow.WorkEstimate.Reading;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many seats requests are worth. */
class WorkEstimateTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "nothing stored,                        false,    0, false, false,     0,        0,  0,   1",
        "little stored,                         false,    0, false, false,    10,    10000,  0,   1",
        "a seat for each 100 kB,                false,    0, false, false,   450,   450000,  0,   5",
        "a list from memory is sent in pieces,  false,    0, false, false, 90000, 90000000,  0,  10",
        "one of history is there at once,       false,    0, false, true,   9000,  9000000,  0,  90",
        "a hundred seats at most,               false,    0, false, true,  90000, 90000000,  0, 100",
        "or what the level allows,              false,    0, false, true,  90000, 90000000, 12,  12",
        "a page,                                false,  200, false, false, 90000, 90000000,  0,   2",
        "a page larger than there is,           false, 9000, false, false,   450,   450000,  0,   5",
        "a page of history,                     false,  500, false, true,  90000, 90000000,  0,   5",
        "a page that passes over objects,       false,  500, true,  true,   9000,  9000000,  0,  45",
        "the same from memory,                  false,  500, true,  false,  9000,  9000000,  0,   5",
        "one object,                            true,     0, true,  false, 90000, 90000000,  0,   1",
        "one large object,                      true,     0, true,  false,    10,  9000000,  0,   9"
    })
    void lists(
            String what,
            boolean one,
            long limit,
            boolean selective,
            boolean history,
            int objects,
            long bytes,
            int most,
            int seats) {
        Work work = WorkEstimate.of(new Reading(one, limit, selective, history), new Stock(objects, bytes), most);
        assertThat(work).isEqualTo(Work.of(seats));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0, 0",
        "9, 0, 0, 0",
        "10, 0, 1, 5",
        "11, 0, 2, 5",
        "100, 0, 10, 5",
        "1000, 0, 10, 50",
        "100, 2, 2, 25",
        "100, 20, 10, 5"
    })
    void writesLastUntilTheirWatchersAreTold(int watches, int most, int seats, int millis) {
        Work expected = new Work(1, seats, Duration.ofMillis(millis));
        assertThat(WorkEstimate.ofWrite(watches, most)).isEqualTo(expected);
    }

    private static Action action(String verb, String resource, String namespace, String name, String selector) {
        return new Action(null, verb, "", "v1", resource, "", namespace, name, "", FieldSelector.parse(selector));
    }

    @Test
    void watchesCountForWhatTheyWatchUntilTheyEnd() {
        WatchCount watches = new WatchCount();
        watches.begun(action("watch", "pods", "", "", ""));
        WatchCount.Counted inA = watches.begun(action("watch", "pods", "a", "", ""));
        watches.begun(action("watch", "pods", "a", "", "spec.nodeName=n1"));
        watches.begun(action("watch", "pods", "a", "", "spec.nodeName="));
        watches.begun(action("watch", "pods", "a", "one", "metadata.name=one"));
        watches.begun(action("watch", "secrets", "a", "", ""));
        assertThat(watches.interested(action("create", "pods", "a", "", ""))).isEqualTo(3);
        assertThat(watches.interested(action("update", "pods", "a", "one", ""))).isEqualTo(4);
        assertThat(watches.interested(action("update", "pods", "a", "other", "")))
                .isEqualTo(3);
        assertThat(watches.interested(action("delete", "pods", "b", "one", ""))).isEqualTo(1);
        inA.ended();
        assertThat(watches.interested(action("create", "pods", "a", "", ""))).isEqualTo(2);
    }
}
