package io.argosy.server.cache;

import io.argosy.store.Entry;
import io.argosy.store.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * All current objects of one resource in memory, and its recent changes: what reads and watches are answered from. Fed by the store's
 * watch, from one thread, before a write is acknowledged; so who wrote reads what they wrote.
 */
public final class ResourceCache {
    private final String prefix;
    private final boolean namespaced;
    private volatile Set<String> selectableFields;

    /** Brings what is stored into the form in which it is read; what is written has that form already. */
    private volatile UnaryOperator<byte[]> form;

    private final ConcurrentSkipListMap<String, CachedObject> objects = new ConcurrentSkipListMap<>();

    /** Excludes the writer while a list is copied, so that the copy is of one revision. */
    private final ReentrantLock writing = new ReentrantLock();

    /** Under the lock. */
    private final List<Consumer<Change>> followers = new ArrayList<>();

    /** Changes that came while the cache was being loaded for the first time; null afterwards. Under the lock. */
    private List<Event> early = new ArrayList<>();

    private volatile WatchLog log;

    /** The revision of the newest change in this cache; written under the lock. */
    private volatile long newest;

    /** How many objects initializers still have to see. Under the lock. */
    private int uninitialized;

    /** Written under the lock. */
    private volatile Stock stock = new Stock(0, 0);

    /**
     * What is stored of one resource.
     *
     * @param bytes of all objects together
     */
    public record Stock(int objects, long bytes) {
        private Stock after(Change change) {
            CachedObject before = change.previous();
            CachedObject now = change.deleted() ? null : change.current();
            return new Stock(
                    objects + (now == null ? 0 : 1) - (before == null ? 0 : 1), bytes + size(now) - size(before));
        }

        private static long size(CachedObject object) {
            return object == null ? 0 : object.json().length;
        }
    }

    /**
     * Objects of one resource at one revision, in key order.
     *
     * @param hides whether some may be among them that initializers still have to see
     */
    public record Snapshot(List<CachedObject> objects, long revision, boolean hides) {}

    ResourceCache(String prefix, boolean namespaced, Set<String> selectableFields, UnaryOperator<byte[]> form) {
        this.prefix = prefix;
        this.namespaced = namespaced;
        this.selectableFields = selectableFields;
        this.form = form;
    }

    String prefix() {
        return prefix;
    }

    public CachedObject get(String key) {
        return objects.get(key);
    }

    /** The revision of the newest change of this resource; a list may show it a moment before all other caches have reached it. */
    public long newest() {
        return newest;
    }

    /** How many objects there are, and how large they are together. */
    public Stock stock() {
        return stock;
    }

    /** A copy of all objects, or of one namespace's, at one revision, no older than the one given. */
    Snapshot snapshot(String namespace, long applied) {
        writing.lock();
        try {
            NavigableMap<String, CachedObject> part =
                    namespace.isEmpty() ? objects : objects.subMap(namespace + "/", namespace + "0");
            return new Snapshot(List.copyOf(part.values()), Math.max(applied, newest), uninitialized > 0);
        } finally {
            writing.unlock();
        }
    }

    /** Fills the cache: before it is used, or when it has missed changes. Then followers are told what differs, and watchers are cut off. */
    void load(List<Entry> entries, long revision) {
        Map<String, CachedObject> loaded = new HashMap<>(entries.size() * 2);
        for (Entry entry : entries) {
            CachedObject object = decode(entry);
            loaded.put(object.key(), object);
        }
        writing.lock();
        try {
            for (CachedObject gone : List.copyOf(objects.values())) {
                if (!loaded.containsKey(gone.key())) {
                    objects.remove(gone.key());
                    tell(new Change(gone, gone, true));
                }
            }
            for (CachedObject object : loaded.values()) {
                CachedObject before = objects.put(object.key(), object);
                if (before == null || before.revision() != object.revision()) {
                    tell(new Change(object, before, false));
                }
            }
            uninitialized = (int) objects.values().stream()
                    .filter(CachedObject::isUninitialized)
                    .count();
            stock = weighed();
            newest = revision;
            WatchLog old = log;
            log = new WatchLog(revision);
            if (old != null) {
                old.cutOffAll();
            }
            takeEarly(revision);
        } finally {
            writing.unlock();
        }
    }

    private Stock weighed() {
        long bytes = 0;
        for (CachedObject object : objects.values()) {
            bytes += object.json().length;
        }
        return new Stock(objects.size(), bytes);
    }

    private void takeEarly(long loaded) {
        List<Event> missed = early == null ? List.of() : early;
        early = null;
        for (Event event : missed) {
            if (event.revision() > loaded) {
                take(event);
            }
        }
    }

    /** The definition of the resource has changed: all objects are brought into their new form, without an event. */
    public void reform(Set<String> fields, UnaryOperator<byte[]> newForm) {
        writing.lock();
        try {
            selectableFields = fields;
            form = newForm;
            objects.replaceAll((key, object) -> {
                byte[] json = newForm.apply(object.json());
                ObjectScan.Facts facts = ObjectScan.scan(json, fields);
                boolean older = object.isOlder() || json != object.json();
                return new CachedObject(
                        key,
                        object.namespace(),
                        object.name(),
                        json,
                        object.revision(),
                        facts.labels(),
                        marked(facts.fields(), older));
            });
            stock = weighed();
        } finally {
            writing.unlock();
        }
    }

    /** Ends all watches. */
    void end() {
        WatchLog ended = log;
        if (ended != null) {
            ended.endAll();
        }
    }

    private void tell(Change change) {
        followers.forEach(follower -> follower.accept(change));
    }

    /**
     * Tells the follower of every object there is and of every change from then on, each before its write is acknowledged; one after the
     * other, so it must be quick.
     */
    public void follow(Consumer<Change> follower) {
        writing.lock();
        try {
            objects.values().forEach(object -> follower.accept(new Change(object, null, false)));
            followers.add(follower);
        } finally {
            writing.unlock();
        }
    }

    void apply(Event event) {
        writing.lock();
        try {
            if (early == null) {
                take(event);
            } else {
                early.add(event);
            }
        } finally {
            writing.unlock();
        }
    }

    private void take(Event event) {
        Change change = change(event);
        if (change.deleted()) {
            objects.remove(change.current().key());
        } else {
            objects.put(change.current().key(), change.current());
        }
        boolean was = change.previous() != null && change.previous().isUninitialized();
        boolean is = !change.deleted() && change.current().isUninitialized();
        uninitialized += (is ? 1 : 0) - (was ? 1 : 0);
        stock = stock.after(change);
        newest = event.revision();
        tell(change);
        log.append(change);
    }

    WatchLog log() {
        return log;
    }

    private Change change(Event event) {
        CachedObject before = objects.get(event.key().substring(prefix.length()));
        if (event.type() == Event.Type.DELETE) {
            byte[] last = ResourceVersions.stamp(event.previous().value(), event.revision());
            Map<String, String> labels = before == null ? Map.of() : before.labels();
            Map<String, String> fields = before == null ? Map.of() : before.fields();
            CachedObject gone = object(event.key(), last, event.revision(), labels, fields);
            return new Change(gone, before, true);
        }
        return new Change(decode(event.current(), event.current().value()), before, false);
    }

    /** What an event of the past was, with what the object was before. */
    Change past(Event event) {
        CachedObject before = event.previous() == null ? null : decode(event.previous());
        if (event.type() == Event.Type.PUT) {
            return new Change(decode(event.current()), before, false);
        }
        byte[] last = ResourceVersions.stamp(form.apply(event.previous().value()), event.revision());
        return new Change(object(event.key(), last, event.revision(), before.labels(), before.fields()), before, true);
    }

    /** The object's place below its resource. */
    public String keyOf(Entry entry) {
        return entry.key().substring(prefix.length());
    }

    /** What a stored version of an object is, ready to be sent. */
    public CachedObject decode(Entry entry) {
        return decode(entry, form.apply(entry.value()));
    }

    private CachedObject decode(Entry entry, byte[] value) {
        ObjectScan.Facts facts = ObjectScan.scan(value, selectableFields);
        byte[] json = ResourceVersions.stamp(value, entry.modRevision());
        boolean older = value != entry.value();
        return object(entry.key(), json, entry.modRevision(), facts.labels(), marked(facts.fields(), older));
    }

    private static Map<String, String> marked(Map<String, String> fields, boolean older) {
        if (!older) {
            return fields;
        }
        Map<String, String> marked = new HashMap<>(fields);
        marked.put(CachedObject.OLDER, "");
        return Map.copyOf(marked);
    }

    private CachedObject object(
            String storeKey, byte[] json, long revision, Map<String, String> labels, Map<String, String> fields) {
        String key = storeKey.substring(prefix.length());
        int slash = namespaced ? key.indexOf('/') : -1;
        String namespace = slash < 0 ? "" : key.substring(0, slash);
        return new CachedObject(key, namespace, key.substring(slash + 1), json, revision, labels, fields);
    }
}
