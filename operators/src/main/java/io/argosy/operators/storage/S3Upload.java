package io.argosy.operators.storage;

import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;

/**
 * An object that is sent in parts while it comes, so that neither its size need be known nor its bytes be kept; one that fits into a part is
 * sent at once. It is there when it is complete, and not before.
 */
final class S3Upload extends OutputStream {
    private static final int PART = 8 << 20;

    private final S3Client client;
    private final String bucket;
    private final String key;
    private final List<CompletedPart> parts = new ArrayList<>();
    private byte[] buffer = new byte[64 << 10];
    private int filled;
    private String id;

    S3Upload(S3Client client, String bucket, String key) {
        this.client = client;
        this.bucket = bucket;
        this.key = key;
    }

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        int done = 0;
        while (done < length) {
            if (filled == PART) {
                sendPart();
            }
            int some = Math.min(length - done, PART - filled);
            if (filled + some > buffer.length) {
                buffer = Arrays.copyOf(buffer, Math.min(PART, Math.max(buffer.length * 2, filled + some)));
            }
            System.arraycopy(bytes, offset + done, buffer, filled, some);
            filled += some;
            done += some;
        }
    }

    private void sendPart() {
        if (id == null) {
            id = client.createMultipartUpload(request -> request.bucket(bucket).key(key))
                    .uploadId();
        }
        int number = parts.size() + 1;
        String tag = client.uploadPart(
                        request -> request.bucket(bucket)
                                .key(key)
                                .uploadId(id)
                                .partNumber(number)
                                .contentMD5(md5()),
                        body())
                .eTag();
        parts.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
        filled = 0;
    }

    private RequestBody body() {
        byte[] bytes = buffer;
        int length = filled;
        return RequestBody.fromContentProvider(
                () -> new ByteArrayInputStream(bytes, 0, length), length, "application/octet-stream");
    }

    private String md5() {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            digest.update(buffer, 0, filled);
            return Base64.getEncoder().encodeToString(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    void complete() {
        if (id == null) {
            client.putObject(request -> request.bucket(bucket).key(key).contentMD5(md5()), body());
            return;
        }
        if (filled > 0) {
            sendPart();
        }
        client.completeMultipartUpload(
                request -> request.bucket(bucket).key(key).uploadId(id).multipartUpload(upload -> upload.parts(parts)));
    }

    /** Parts that nobody completes cost money for ever; if they cannot be taken back now, a rule of the bucket has to. */
    void abort() {
        if (id != null) {
            try {
                client.abortMultipartUpload(
                        request -> request.bucket(bucket).key(key).uploadId(id));
            } catch (SdkException e) {
                System.getLogger(S3Upload.class.getName())
                        .log(System.Logger.Level.WARNING, "parts of " + bucket + "/" + key + " are left: " + e);
            }
        }
    }
}
