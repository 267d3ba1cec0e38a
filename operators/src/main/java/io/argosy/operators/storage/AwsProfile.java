package io.argosy.operators.storage;

import io.argosy.operators.snapshot.SnapshotException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.profiles.Profile;
import software.amazon.awssdk.profiles.ProfileFile;

/** Who we are to the storage and in which region it is: the profile "default" of two files as the AWS tools have them. */
record AwsProfile(AwsCredentials credentials, String region) {
    static final String CREDENTIALS = "credentials";
    static final String CONFIG = "config";
    private static final String REGION = "us-east-1";

    /** The files by their names; the secret's name is for the complaint. */
    static AwsProfile of(String secret, Map<String, String> files) throws SnapshotException {
        String credentials = files.get(CREDENTIALS);
        if (credentials == null || credentials.isBlank()) {
            throw bad(
                    secret,
                    "has no key credentials; kubectl create secret generic " + secret
                            + " --from-file=$HOME/.aws/credentials --from-file=$HOME/.aws/config makes one that has");
        }
        Optional<Profile> who = profile(secret, CREDENTIALS, credentials, ProfileFile.Type.CREDENTIALS);
        Optional<Profile> where = files.containsKey(CONFIG)
                ? profile(secret, CONFIG, files.get(CONFIG), ProfileFile.Type.CONFIGURATION)
                : Optional.empty();
        String id = property(secret, who, "aws_access_key_id");
        String key = property(secret, who, "aws_secret_access_key");
        AwsCredentials found = who.flatMap(profile -> profile.property("aws_session_token"))
                .<AwsCredentials>map(token -> AwsSessionCredentials.create(id, key, token))
                .orElseGet(() -> AwsBasicCredentials.create(id, key));
        return new AwsProfile(
                found,
                where.flatMap(profile -> profile.property("region"))
                        .or(() -> who.flatMap(profile -> profile.property("region")))
                        .filter(region -> !region.isBlank())
                        .orElse(REGION));
    }

    private static Optional<Profile> profile(String secret, String file, String text, ProfileFile.Type type)
            throws SnapshotException {
        try {
            return ProfileFile.builder()
                    .content(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
                    .type(type)
                    .build()
                    .profile("default");
        } catch (IllegalArgumentException e) {
            throw bad(secret, "has a key " + file + " that cannot be read: " + e.getMessage());
        }
    }

    private static String property(String secret, Optional<Profile> profile, String name) throws SnapshotException {
        return profile.flatMap(found -> found.property(name))
                .filter(value -> !value.isBlank())
                .orElseThrow(() -> bad(secret, "has no " + name + " in the profile [default] of its key credentials"));
    }

    private static SnapshotException bad(String secret, String what) {
        return new SnapshotException("BadSecret", "secret " + secret + " " + what);
    }
}
