package io.argosy.cluster.pki;

import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.server.authn.KeyRing;
import io.argosy.server.authn.SigningKey;
import io.argosy.server.authn.VerifyingKey;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The keys of service account tokens as files of the home: {@code sa.key} signs; {@code sa.pub} is its open half, and {@code sa-*.pub} are
 * those of earlier keys, whose tokens still count. Read when they are first needed.
 */
public final class TokenKeys {
    private static final String KEY = "sa.key";
    private static final String OPEN = "sa.pub";
    private static final String EARLIER = "sa-*.pub";
    private static final int NAME_LENGTH = 12;

    private final Path folder;
    private volatile KeyRing ring;

    TokenKeys(Path folder) {
        this.folder = folder;
    }

    /** Of a cluster that does not run. */
    public static TokenKeys of(Home home) {
        TokenKeys keys = new TokenKeys(home.pki());
        if (!Files.exists(keys.folder.resolve(KEY))) {
            throw new HomeException(home.root() + " has no keys yet: 'argosy up' makes them.");
        }
        return keys;
    }

    /** Makes the first key, at the first start. */
    void ensure() throws IOException, GeneralSecurityException {
        if (!Files.exists(folder.resolve(KEY)) || !Files.exists(folder.resolve(OPEN))) {
            KeyPair pair = CertificateIssuer.newKey();
            write(KEY, "PRIVATE KEY", pair.getPrivate().getEncoded());
            write(OPEN, "PUBLIC KEY", pair.getPublic().getEncoded());
        }
    }

    private void write(String name, String label, byte[] der) throws IOException {
        Home.write(folder.resolve(name), Pem.encode(label, der));
    }

    /** The same object until a key is added or taken away. */
    public KeyRing ring() {
        KeyRing known = ring;
        if (known == null) {
            synchronized (this) {
                known = ring == null ? read() : ring;
                ring = known;
            }
        }
        return known;
    }

    private KeyRing read() {
        PrivateKey secret = Pem.privateKey(folder.resolve(KEY));
        Map<String, VerifyingKey> open = new TreeMap<>();
        List<Path> files = earlier();
        for (Path file : files) {
            VerifyingKey key = new VerifyingKey(Pem.publicKey(file));
            open.put(key.id(), key);
        }
        ECPublicKey own = Pem.publicKey(folder.resolve(OPEN));
        if (!files.isEmpty() && !arePair(secret, own)) { // a change of keys was cut off in its middle
            open.putIfAbsent(new VerifyingKey(own).id(), new VerifyingKey(own));
            own = open.values().stream()
                    .map(VerifyingKey::open)
                    .filter(key -> arePair(secret, key))
                    .findFirst()
                    .orElseThrow(() -> new HomeException("The key " + folder.resolve(KEY)
                            + " and its open half sa.pub do not belong together: restore them from a backup."));
        }
        SigningKey signing = new SigningKey(secret, own);
        open.remove(signing.verifying().id());
        return new KeyRing(signing, List.copyOf(open.values()));
    }

    private static boolean arePair(PrivateKey secret, ECPublicKey open) {
        try {
            byte[] probe = open.getEncoded();
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(secret);
            signature.update(probe);
            byte[] signed = signature.sign();
            signature.initVerify(open);
            signature.update(probe);
            return signature.verify(signed);
        } catch (GeneralSecurityException different) {
            return false;
        }
    }

    private List<Path> earlier() {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, EARLIER)) {
            found.forEach(files::add);
        } catch (IOException e) {
            throw new HomeException("The folder " + folder + " cannot be read: " + e.getMessage() + ".", e);
        }
        return files;
    }

    /** A new key signs from now on; tokens of the others go on counting. Both are on disk before the first token of the new one. */
    public synchronized KeyRing rotate() {
        try {
            KeyPair pair = CertificateIssuer.newKey();
            ECPublicKey open = (ECPublicKey) pair.getPublic();
            keepOpen(ring().signing().verifying());
            keepOpen(new VerifyingKey(open));
            write(KEY, "PRIVATE KEY", pair.getPrivate().getEncoded());
            write(OPEN, "PUBLIC KEY", open.getEncoded());
        } catch (IOException e) {
            throw new HomeException("The keys in " + folder + " cannot be written: " + e.getMessage() + ".", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a key could not be made", e);
        }
        ring = read();
        return ring;
    }

    private void keepOpen(VerifyingKey key) throws IOException {
        String name = "sa-" + key.id().substring(0, NAME_LENGTH) + ".pub";
        write(name, "PUBLIC KEY", key.open().getEncoded());
    }

    /** Tokens of earlier keys count no more. How many keys were taken away. */
    public synchronized int retire() {
        int earlier = ring().earlier().size();
        try {
            for (Path file : earlier()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new HomeException("The keys in " + folder + " cannot be deleted: " + e.getMessage() + ".", e);
        }
        ring = read();
        return earlier;
    }
}
