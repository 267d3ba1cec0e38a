package io.argosy.server.cel;

/** How large a value can be, at least and at most: characters of a text, bytes, elements of a list, keys of a map. */
public record Size(double least, double most) {
    /** More than there can be. */
    static final double ENDLESS = 0x1p64;

    static final Size UNKNOWN = new Size(0, ENDLESS);
    static final Size ONE = exactly(1);

    static Size exactly(double size) {
        return new Size(size, size);
    }

    public static Size upTo(double most) {
        return new Size(0, most);
    }

    Size plus(Size other) {
        return new Size(least + other.least, most + other.most);
    }

    Size times(Size other) {
        return new Size(least * other.least, most * other.most);
    }

    /** Whichever of the two it is. */
    Size or(Size other) {
        return new Size(Math.min(least, other.least), Math.max(most, other.most));
    }

    /** The cost of reading it through. */
    double reading() {
        return CallCost.reading(most);
    }
}
