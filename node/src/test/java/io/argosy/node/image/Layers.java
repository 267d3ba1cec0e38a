package io.argosy.node.image;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Writes layers entry by entry, good ones and bad ones. */
final class Layers {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes, "UTF-8");

    /** A layer as it travels, and the tar that is to come out of it. */
    @SuppressWarnings("ArrayRecordComponent")
    record Packed(byte[] compressed, byte[] plain) {}

    Layers() {
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        tar.setAddPaxHeadersForNonAsciiNames(true);
    }

    Layers file(String name, String content) {
        TarArchiveEntry entry = entry(name, TarConstants.LF_NORMAL);
        entry.setMode(0644);
        return put(entry, content.getBytes(StandardCharsets.UTF_8));
    }

    Layers file(String name, byte[] content) {
        return put(entry(name, TarConstants.LF_NORMAL), content);
    }

    Layers folder(String name) {
        TarArchiveEntry entry = entry(name + "/", TarConstants.LF_DIR);
        entry.setMode(0755);
        return put(entry, new byte[0]);
    }

    Layers symlink(String name, String target) {
        TarArchiveEntry entry = entry(name, TarConstants.LF_SYMLINK);
        entry.setLinkName(target);
        return put(entry, new byte[0]);
    }

    Layers hardLink(String name, String target) {
        TarArchiveEntry entry = entry(name, TarConstants.LF_LINK);
        entry.setLinkName(target);
        return put(entry, new byte[0]);
    }

    Layers device(String name, int major, int minor) {
        TarArchiveEntry entry = entry(name, TarConstants.LF_CHR);
        entry.setDevMajor(major);
        entry.setDevMinor(minor);
        return put(entry, new byte[0]);
    }

    Layers entry(TarArchiveEntry entry, String content) {
        return put(entry, content.getBytes(StandardCharsets.UTF_8));
    }

    /** An entry whose name is taken as it is, however wrong. */
    static TarArchiveEntry entry(String name, byte type) {
        return new TarArchiveEntry(name, type, true);
    }

    private Layers put(TarArchiveEntry entry, byte[] content) {
        try {
            if (content.length > 0) {
                entry.setSize(content.length);
            }
            tar.putArchiveEntry(entry);
            tar.write(content);
            tar.closeArchiveEntry();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    byte[] tar() {
        try {
            tar.close();
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] gzip(byte[] plain) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    static byte[] zstd(byte[] plain) {
        return Zstd.compress(plain);
    }
}
