package io.argosy.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.store.Result.Committed;
import io.argosy.store.Result.Conflict;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store under test, opened and closed around each test, and short words for what tests do with it. */
public abstract class StoreFixture {
    protected static final String PODS = "/registry/pods/";

    protected Store store;
    protected long start;

    /** Opens an empty store, and the same one again after it was closed. */
    protected abstract Store open();

    @BeforeEach
    void openStore() {
        store = open();
        start = store.revision();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    protected void reopen() {
        store.close();
        store = open();
    }

    protected long put(String key, String value) {
        return committed(store.put(key, bytes(value), Store.ANY)).revision();
    }

    protected long delete(String key) {
        return committed(store.delete(key, Store.ANY)).revision();
    }

    protected static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    protected static Committed committed(Result result) {
        assertThat(result).isInstanceOf(Committed.class);
        return (Committed) result;
    }

    protected static Entry conflict(Result result) {
        assertThat(result).isInstanceOf(Conflict.class);
        return ((Conflict) result).current();
    }

    protected RecordingListener watch(String prefix, long after) {
        RecordingListener listener = new RecordingListener();
        store.watch(prefix, after, listener);
        return listener;
    }

    /** A listener that only cares for what happens. */
    protected static WatchListener listener(Consumer<List<Event>> action) {
        return new WatchListener() {
            @Override
            public void onEvents(List<Event> events) {
                action.accept(events);
            }

            @Override
            public void onClosed(Throwable cause) {}
        };
    }

    protected static List<String> keys(Page page) {
        return page.entries().stream().map(Entry::key).toList();
    }

    protected static String value(Entry entry) {
        return new String(entry.value(), UTF_8);
    }

    protected static String text(Event event) {
        String before = event.previous() == null ? "" : value(event.previous());
        return event.key() + ": " + before + " -> " + (event.current() == null ? "" : value(event.current()));
    }

    /** Puts and deletes a few keys many times; every one of the writes takes a revision. */
    protected void writeAtRandom(Random random, int writes) {
        Set<String> there = new HashSet<>();
        for (int i = 0; i < writes; i++) {
            String key = PODS + "p" + random.nextInt(15);
            if (random.nextInt(3) == 0 && there.remove(key)) {
                delete(key);
            } else {
                put(key, "v" + i);
                there.add(key);
            }
        }
    }

    protected Map<String, String> state(long revision) {
        TreeMap<String, String> state = new TreeMap<>();
        store.list("", ListOptions.ALL.at(revision))
                .entries()
                .forEach(entry -> state.put(entry.key(), entry.toString()));
        return state;
    }

    /** The state that a history leads to; also checks that each event fits what came before it. */
    protected static Map<String, String> replay(List<Event> history) {
        TreeMap<String, String> state = new TreeMap<>();
        for (Event event : history) {
            String before = event.current() == null
                    ? state.remove(event.key())
                    : state.put(event.key(), event.current().toString());
            assertThat(before)
                    .isEqualTo(
                            event.previous() == null ? null : event.previous().toString());
        }
        return state;
    }
}
