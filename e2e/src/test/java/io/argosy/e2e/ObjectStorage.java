package io.argosy.e2e;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** A real server that speaks S3 and checks who asks, on an address that pods can reach; the credentials are files as the AWS tools write them. */
final class ObjectStorage implements AutoCloseable {
    private static final String ID = "operator";
    private static final String KEY = "a-long-secret";
    private static final Logger LOG = Logger.getLogger("org.gaul");

    private final Path folder;
    private final S3Proxy server;
    private final String endpoint;

    ObjectStorage(Path folder, String address) throws Exception {
        LOG.setLevel(Level.WARNING);
        this.folder = Files.createDirectories(folder);
        Files.writeString(
                credentials(), "[default]\naws_access_key_id = " + ID + "\naws_secret_access_key = " + KEY + "\n");
        Files.writeString(config(), "[default]\nregion = us-east-1\n");
        server = S3Proxy.builder()
                .blobStore(new TransientNio2BlobStore())
                .endpoint(URI.create("http://" + address + ":0"))
                .awsAuthentication(AuthenticationType.AWS_V4, ID, KEY)
                .stopTimeout(0)
                .build();
        server.start();
        endpoint = "http://" + address + ":" + server.getPort();
    }

    String endpoint() {
        return endpoint;
    }

    Path credentials() {
        return folder.resolve("credentials");
    }

    Path config() {
        return folder.resolve("config");
    }

    void createBucket(String name) {
        try (S3Client client = S3Client.builder()
                .endpointOverride(URI.create(endpoint))
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(ID, KEY)))
                .build()) {
            client.createBucket(request -> request.bucket(name));
        }
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
