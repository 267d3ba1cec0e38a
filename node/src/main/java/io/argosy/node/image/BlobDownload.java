package io.argosy.node.image;

import io.argosy.api.time.Clock;
import io.argosy.node.image.Manifests.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one blob from whichever registry gives it, going on where a broken connection or a killed process left off, and
 * lets it into the store only if it is what its digest says.
 */
final class BlobDownload {
    private static final Logger LOG = LoggerFactory.getLogger(BlobDownload.class);
    private static final int FRUITLESS = 3;
    private static final int ATTEMPTS = 100;
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final long REPORT_EVERY = 512 * 1024;

    private final StoreFolder folder;
    private final Clock clock;
    private final Descriptor blob;
    private final List<RegistryClient> sources;
    private final Progress progress;
    private final byte[] buffer = new byte[64 * 1024];
    private Path draft;
    private MessageDigest digest;
    private long offset;

    BlobDownload(StoreFolder folder, Clock clock, Descriptor blob, List<RegistryClient> sources, Progress progress) {
        this.folder = folder;
        this.clock = clock;
        this.blob = blob;
        this.sources = sources;
        this.progress = progress;
    }

    /** Leaves the whole, checked blob in the store. */
    void run() {
        try {
            draft = folder.claimPartial(blob.digest());
            try {
                rehash();
                fetch();
                StoreFolder.sync(draft);
                folder.publish(draft, folder.blob(blob.digest()));
            } finally {
                folder.keepPartial(draft);
            }
        } catch (IOException e) {
            throw new ImageException(
                    ImageException.Kind.STORAGE, "failed to store " + blob.digest() + ": " + e.getMessage(), e);
        }
    }

    private void rehash() throws IOException {
        digest = Digests.start();
        offset = 0;
        if (Files.exists(draft)) {
            if (Files.size(draft) > blob.size()) {
                Files.delete(draft);
                return;
            }
            try (InputStream in = new DigestInputStream(Files.newInputStream(draft), digest)) {
                offset = in.transferTo(OutputStream.nullOutputStream());
            }
            LOG.debug("resuming {} at byte {}", blob.digest(), offset);
        }
    }

    private void fetch() throws IOException {
        ImageException last = null;
        int fruitless = 0;
        int lies = 0;
        int source = 0;
        for (int attempt = 0; attempt < ATTEMPTS && fruitless < FRUITLESS * sources.size(); attempt++) {
            if (fruitless > 0) {
                pause(fruitless);
            }
            long before = offset;
            RegistryClient client = sources.get(source % sources.size());
            try {
                if (offset < blob.size() || blob.size() == 0) {
                    receive(client);
                }
                if (verify(client)) {
                    return;
                }
            } catch (ImageException e) {
                last = e;
                source++;
                if (e.kind() == ImageException.Kind.STORAGE) {
                    throw e;
                }
                if (e.kind() == ImageException.Kind.CORRUPT && ++lies > sources.size()) {
                    throw e;
                }
                if (!e.retriable() && source >= sources.size()) {
                    throw e;
                }
            }
            fruitless = offset > before ? 0 : fruitless + 1;
        }
        throw last != null
                ? last
                : new ImageException(
                        ImageException.Kind.UNAVAILABLE,
                        sources.getLast().endpoint().base() + ": " + blob.digest()
                                + " keeps being cut short: unexpected EOF");
    }

    private void receive(RegistryClient client) throws IOException {
        RegistryClient.Body body = client.blob(blob.digest(), offset);
        if (body.offset() == 0 && offset > 0) {
            restart();
        }
        try (InputStream in = body.stream();
                OutputStream out = Files.newOutputStream(
                        draft, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            long reported = offset;
            int read = read(in, client);
            while (read >= 0) {
                if (offset + read > blob.size()) {
                    throw corrupt(client, "is longer than the " + blob.size() + " bytes the manifest says");
                }
                out.write(buffer, 0, read);
                digest.update(buffer, 0, read);
                offset += read;
                if (offset - reported >= REPORT_EVERY) {
                    reported = offset;
                    progress.update(Progress.Phase.DOWNLOADING, blob.digest(), offset, blob.size());
                }
                read = read(in, client);
            }
        }
        progress.update(Progress.Phase.DOWNLOADING, blob.digest(), offset, blob.size());
    }

    /** Reads a piece; a line that breaks ends the stream early, which the caller sees by the length. */
    private int read(InputStream in, RegistryClient client) {
        try {
            return in.read(buffer);
        } catch (IOException e) {
            SingleFlight.Interrupted.check(e);
            LOG.debug("{} broke off at byte {}: {}", client.endpoint().base(), offset, e.getMessage());
            return -1;
        }
    }

    private boolean verify(RegistryClient client) throws IOException {
        if (offset < blob.size()) {
            return false;
        }
        String actual = Digests.finish(digest);
        if (actual.equals(blob.digest())) {
            return true;
        }
        restart();
        throw corrupt(
                client, "unexpected commit digest " + actual + ", expected " + blob.digest() + ": failed precondition");
    }

    private void restart() throws IOException {
        Files.deleteIfExists(draft);
        digest = Digests.start();
        offset = 0;
    }

    private ImageException corrupt(RegistryClient client, String what) throws IOException {
        restart();
        return new ImageException(
                ImageException.Kind.CORRUPT, client.endpoint().base() + ": blob " + blob.digest() + ": " + what);
    }

    private void pause(int fruitless) {
        try {
            clock.sleep(PAUSE.multipliedBy(1L << Math.min(fruitless - 1, 5)));
        } catch (InterruptedException e) {
            throw SingleFlight.Interrupted.now(e);
        }
    }
}
