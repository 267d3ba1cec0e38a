package io.argosy.operators.storage;

import io.argosy.operators.resource.StoragePlace;
import io.argosy.operators.snapshot.SnapshotException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Snapshots as objects of a bucket. Every request is bounded in time. */
public final class S3Store implements SnapshotStore {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final Duration ATTEMPT = Duration.ofSeconds(60);
    private static final Duration CALL = Duration.ofSeconds(150);

    private final S3Client client;
    private final StoragePlace.S3 place;

    /** The files of the place's secret, by their names. */
    public S3Store(StoragePlace.S3 place, Map<String, String> secret) throws SnapshotException {
        this.place = place;
        AwsProfile profile = AwsProfile.of(place.awsSecret(), secret);
        S3ClientBuilder builder = S3Client.builder()
                .region(Region.of(profile.region()))
                .credentialsProvider(StaticCredentialsProvider.create(profile.credentials()))
                .forcePathStyle(Boolean.TRUE.equals(place.forcePathStyle()))
                // what Amazon has come to add by itself, others do not know yet; parts carry their MD5 instead
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .overrideConfiguration(
                        time -> time.apiCallAttemptTimeout(ATTEMPT).apiCallTimeout(CALL))
                .httpClientBuilder(UrlConnectionHttpClient.builder()
                        .connectionTimeout(CONNECT)
                        .socketTimeout(SILENCE));
        if (place.endpoint() != null) {
            builder.endpointOverride(endpoint(place.endpoint()));
        }
        this.client = builder.build();
    }

    private static URI endpoint(String text) throws SnapshotException {
        try {
            URI uri = URI.create(text.contains("://") ? text : "https://" + text);
            if (uri.getHost() != null) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw new SnapshotException(
                "BadEndpoint", "s3.endpoint \"" + text + "\" is no address such as http://minio:9000");
    }

    @Override
    public void save(String key, Content content) throws SnapshotException {
        Optional<SnapshotException> refusal = look(key);
        S3Upload upload = new S3Upload(client, place.bucket(), key);
        boolean complete = false;
        try {
            content.writeTo(upload);
            upload.complete();
            complete = true;
        } catch (AwsServiceException e) {
            throw explained(key, e);
        } catch (SdkException e) {
            throw refusal.orElseGet(() -> explained(key, e));
        } catch (IOException e) {
            throw new SnapshotException("StorageFailed", location(key) + " cannot be written: " + e, e);
        } finally {
            if (!complete) {
                upload.abort();
            }
        }
    }

    /**
     * Asks for the bucket before anything is sent to it: of a server that refuses what is on its way, no more may be heard than that the
     * connection broke. Whoever may write need not be allowed to ask; that refusal tells something only if writing fails too.
     */
    private Optional<SnapshotException> look(String key) throws SnapshotException {
        try {
            client.headBucket(request -> request.bucket(place.bucket()));
            return Optional.empty();
        } catch (AwsServiceException e) {
            if (e.statusCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                throw noBucket(e);
            }
            return Optional.of(explained(key, e));
        } catch (SdkException e) {
            throw explained(key, e);
        }
    }

    @Override
    public InputStream open(String key) throws SnapshotException {
        try {
            return client.getObject(request -> request.bucket(place.bucket()).key(key));
        } catch (SdkException e) {
            throw explained(key, e);
        }
    }

    @Override
    public List<String> list(String prefix) throws SnapshotException {
        try {
            return client
                    .listObjectsV2Paginator(
                            request -> request.bucket(place.bucket()).prefix(prefix))
                    .contents()
                    .stream()
                    .map(S3Object::key)
                    .toList();
        } catch (SdkException e) {
            throw explained(prefix, e);
        }
    }

    @Override
    public void delete(String key) throws SnapshotException {
        try {
            client.deleteObject(request -> request.bucket(place.bucket()).key(key));
        } catch (SdkException e) {
            throw explained(key, e);
        }
    }

    @Override
    public String location(String key) {
        return "s3://" + place.bucket() + "/" + key;
    }

    /** What went wrong, and what to do about it. */
    private SnapshotException explained(String key, SdkException e) {
        String where = where();
        if (!(e instanceof AwsServiceException refused)) {
            return new SnapshotException("StorageUnreachable", where + " does not answer: " + e.getMessage(), e);
        }
        String code = refused.awsErrorDetails() == null
                ? ""
                : Objects.requireNonNullElse(
                        refused.awsErrorDetails().errorCode(), ""); // an answer to HEAD has no body
        if (code.equals("NoSuchBucket")) {
            return noBucket(e);
        }
        if (code.equals("NoSuchKey")) {
            return new SnapshotException("SnapshotNotFound", "there is no " + location(key) + " at " + where, e);
        }
        if (refused.statusCode() == HttpURLConnection.HTTP_FORBIDDEN
                || refused.statusCode() == HttpURLConnection.HTTP_UNAUTHORIZED) {
            return new SnapshotException(
                    "AccessDenied",
                    where + " refuses the credentials of secret " + place.awsSecret() + " for " + location(key) + ": "
                            + (code.isEmpty() ? "status " + refused.statusCode() : code),
                    e);
        }
        return new SnapshotException(
                "StorageFailed", where + " failed for " + location(key) + ": " + e.getMessage(), e);
    }

    private SnapshotException noBucket(SdkException e) {
        return new SnapshotException(
                "BucketNotFound", where() + " has no bucket " + place.bucket() + ": create it, or correct s3.path", e);
    }

    private String where() {
        return place.endpoint() == null ? "Amazon S3" : place.endpoint();
    }

    @Override
    public void close() {
        client.close();
    }
}
