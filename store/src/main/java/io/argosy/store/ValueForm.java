package io.argosy.store;

/**
 * What values look like where they are kept, where that is not what the store's users see: other programs may read and write the same keys
 * and have forms of their own, and some values are nobody's to read from a disk.
 */
public interface ValueForm {
    /** Values as they are. */
    ValueForm PLAIN = new ValueForm() {
        @Override
        public byte[] toStored(String key, byte[] value) {
            return value;
        }

        @Override
        public byte[] fromStored(String key, byte[] stored) {
            return stored;
        }
    };

    byte[] toStored(String key, byte[] value);

    /** Must take whatever is there; throws a {@link StoreException} that says what is wrong with it. */
    byte[] fromStored(String key, byte[] stored);
}
