package io.argosy.store;

/**
 * Which part of a list is wanted, and as of when.
 *
 * @param revision the revision to read at; 0 for the newest
 * @param afterKey the list goes on after this key (exclusive: the last key of the page before); empty from the start
 * @param limit the most entries to return; 0 for all
 */
public record ListOptions(long revision, String afterKey, int limit) {
    /** Everything, as it is now. */
    public static final ListOptions ALL = new ListOptions(0, "", 0);

    public ListOptions {
        if (revision < 0 || limit < 0) {
            throw new IllegalArgumentException("revision and limit must not be negative");
        }
    }

    public ListOptions at(long newRevision) {
        return new ListOptions(newRevision, afterKey, limit);
    }

    public ListOptions after(String newAfterKey) {
        return new ListOptions(revision, newAfterKey, limit);
    }

    public ListOptions limit(int newLimit) {
        return new ListOptions(revision, afterKey, newLimit);
    }
}
