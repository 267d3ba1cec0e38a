package io.argosy.operators.storage;

import io.argosy.operators.resource.StoragePlace;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** An S3 server in this process, which checks who asks, with one bucket. */
public final class Buckets implements AutoCloseable {
    public static final String BUCKET = "backups";
    private static final String ID = "operator";
    private static final String KEY = "a-long-secret";

    private static final Logger LOG = Logger.getLogger("org.gaul");

    private final S3Proxy server;

    public Buckets() throws Exception {
        LOG.setLevel(Level.WARNING);
        server = S3Proxy.builder()
                .blobStore(new TransientNio2BlobStore())
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V4, ID, KEY)
                .stopTimeout(0)
                .build();
        server.start();
        try (S3Client client = S3Client.builder()
                .endpointOverride(URI.create(endpoint()))
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(ID, KEY)))
                .build()) {
            client.createBucket(request -> request.bucket(BUCKET));
        }
    }

    public String endpoint() {
        return "http://127.0.0.1:" + server.getPort();
    }

    /** The files of a secret as people make it. */
    public static Map<String, String> secret() {
        return secret(KEY);
    }

    public static Map<String, String> secret(String key) {
        return Map.of(
                "credentials",
                "[default]\naws_access_key_id = " + ID + "\naws_secret_access_key = " + key + "\n",
                "config",
                "[default]\nregion = us-east-1\n");
    }

    public StoragePlace.S3 place(String path) {
        return new StoragePlace.S3(path, "aws", endpoint(), true);
    }

    @Override
    public void close() throws IOException {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
