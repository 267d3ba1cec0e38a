package io.argosy.server.storage;

import io.argosy.server.storage.EncryptionConfig.Key;
import io.argosy.store.StoreException;
import io.argosy.store.StoreException.Reason;
import io.argosy.store.ValueForm;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.function.Supplier;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Values that are encrypted where they are stored, as upstream's API server does it: in front the key's name, then a nonce, then what AES-GCM made
 * of the value, bound to the key it is stored under. What is there in plain is read as it is.
 */
public final class EncryptedForm implements ValueForm {
    private static final String PREFIX = "k8s:enc:aesgcm:v1:";
    private static final byte[] PREFIX_BYTES = PREFIX.getBytes(StandardCharsets.US_ASCII);
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private final ValueForm inner;
    private final String source;
    private final Supplier<EncryptionRules> rules;

    /**
     * The rules may change at any time.
     *
     * @param inner the form that is encrypted
     * @param source where the keys are, for people to read
     */
    public EncryptedForm(ValueForm inner, String source, Supplier<EncryptionRules> rules) {
        this.inner = inner;
        this.source = source;
        this.rules = rules;
    }

    @Override
    public byte[] toStored(String key, byte[] value) {
        byte[] plain = inner.toStored(key, value);
        Key writer = rules.get().writer(key);
        return writer == null ? plain : encrypt(key, plain, writer);
    }

    @Override
    public byte[] fromStored(String key, byte[] stored) {
        return inner.fromStored(key, isEncrypted(stored) ? decrypt(key, stored) : stored);
    }

    private static boolean isEncrypted(byte[] stored) {
        return stored.length > PREFIX_BYTES.length
                && stored[0] == 'k'
                && Arrays.equals(stored, 0, PREFIX_BYTES.length, PREFIX_BYTES, 0, PREFIX_BYTES.length);
    }

    private static byte[] encrypt(String key, byte[] plain, Key writer) {
        try {
            byte[] nonce = new byte[NONCE];
            Random.SECURE.nextBytes(nonce);
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, writer, nonce, key);
            byte[] head = (PREFIX + writer.name() + ":").getBytes(StandardCharsets.UTF_8);
            ByteBuffer stored = ByteBuffer.allocate(head.length + NONCE + cipher.getOutputSize(plain.length));
            stored.put(head).put(nonce);
            cipher.doFinal(ByteBuffer.wrap(plain), stored);
            return stored.array();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-GCM is part of every Java", e);
        }
    }

    private byte[] decrypt(String key, byte[] stored) {
        int end = PREFIX_BYTES.length;
        while (end < stored.length && stored[end] != ':') {
            end++;
        }
        String name = new String(stored, PREFIX_BYTES.length, end - PREFIX_BYTES.length, StandardCharsets.UTF_8);
        Key reader = rules.get().keys().get(name);
        if (reader == null) {
            throw unreadable(
                    "The object at " + key + " is encrypted with the key '" + name + "', which is not in " + source
                            + ": put that file back as it was (a backup of Argosy has it); nothing was changed.",
                    null);
        }
        int begin = end + 1 + NONCE;
        try {
            if (begin >= stored.length) {
                throw new AEADBadTagException("cut off");
            }
            byte[] nonce = Arrays.copyOfRange(stored, end + 1, begin);
            return cipher(Cipher.DECRYPT_MODE, reader, nonce, key).doFinal(stored, begin, stored.length - begin);
        } catch (GeneralSecurityException wrong) {
            throw unreadable(
                    "The object at " + key + " cannot be decrypted: either the key '" + name + "' in " + source
                            + " is another one than it was, or the stored value was changed; nothing was changed now.",
                    wrong);
        }
    }

    private static Cipher cipher(int mode, Key with, byte[] nonce, String key) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(with.secret(), "AES"), new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(key.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }

    private static StoreException unreadable(String message, Exception cause) {
        return new StoreException(Reason.CORRUPT, message, cause);
    }

    /** Made when the first value is encrypted, not at the start. */
    private static final class Random {
        private static final SecureRandom SECURE = new SecureRandom();
    }
}
