package io.argosy.store.etcd;

/**
 * What values look like in etcd, where that is not what the store's users see: other programs may read and write the same keys, and have
 * forms of their own.
 */
public interface ValueForm {
    /** Values as they are. */
    ValueForm PLAIN = new ValueForm() {
        @Override
        public byte[] toEtcd(String key, byte[] value) {
            return value;
        }

        @Override
        public byte[] fromEtcd(String key, byte[] stored) {
            return stored;
        }
    };

    byte[] toEtcd(String key, byte[] value);

    /** Must take whatever is there; throws a {@link io.argosy.store.StoreException} that says what is wrong with it. */
    byte[] fromEtcd(String key, byte[] stored);
}
