package io.argosy.cluster.encryption;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.json.Yaml;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.server.registry.StorageLayout;
import io.argosy.server.storage.EncryptedForm;
import io.argosy.server.storage.EncryptionConfig;
import io.argosy.server.storage.EncryptionConfig.Key;
import io.argosy.server.storage.EncryptionRules;
import io.argosy.store.ListOptions;
import io.argosy.store.Store;
import io.argosy.store.ValueForm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;

/**
 * The file of keys of a home, and the forms of values that use it. The file is what upstream's API server takes as its encryption configuration;
 * it stands beside the cluster's other keys and never in the store whose values it opens.
 */
public final class Encryption {
    private static final String ROOT = "/registry/";
    private static final List<String> SECRETS = List.of("secrets");
    private static final int KEY_BYTES = 32;

    private final Path file;

    /** Null while there is no file yet. */
    private EncryptionConfig config;

    private volatile EncryptionRules rules;

    private Encryption(Path file, EncryptionConfig config) {
        this.file = file;
        this.config = config;
        this.rules = config == null ? EncryptionRules.NONE : EncryptionRules.of(config);
    }

    /** Reads the keys, if there are any yet; a file that cannot be understood is left as it is. */
    public static Encryption open(Home home) {
        return open(home.encryption());
    }

    /** The same of any such file. */
    public static Encryption open(Path file) {
        try {
            return new Encryption(file, parse(Files.readAllBytes(file)));
        } catch (NoSuchFileException none) {
            return new Encryption(file, null);
        } catch (IllegalArgumentException wrong) {
            throw unusable(file, wrong.getMessage(), wrong);
        } catch (IOException e) {
            throw unusable(file, "it cannot be read: " + e.getClass().getSimpleName(), e);
        }
    }

    /** What a parser says of a text may show some of it, so it is not passed on. */
    private static EncryptionConfig parse(byte[] content) {
        JsonNode tree;
        try {
            tree = content.length > 0 && content[0] == '{' ? Json.decode(content) : Yaml.decode(content);
        } catch (IOException malformed) {
            throw new IllegalArgumentException("it is neither JSON nor YAML", null);
        }
        return EncryptionConfig.parse(tree);
    }

    private static HomeException unusable(Path file, String why, Exception cause) {
        return new HomeException(
                "The encryption keys in " + file + " cannot be used (" + why
                        + "): put the file back as it was (a backup of Argosy has it); nothing was changed.",
                cause);
    }

    /** The form in which a store keeps values: this one, with what is to be encrypted encrypted. */
    public ValueForm over(ValueForm inner) {
        return new EncryptedForm(inner, file.toString(), () -> rules);
    }

    /** Makes a key if there is none yet; throws if the store holds what was encrypted with one that is no longer there. */
    public synchronized void ensureKey(Store store) {
        if (config == null) {
            store.list(ROOT, ListOptions.ALL); // each value is read, or says what is wrong with it
            change(EncryptionConfig.of(SECRETS, newKey(Set.of())));
        }
    }

    /** Encrypts these resources, and no others, from their next write on. */
    public synchronized void encrypt(List<String> resources) {
        for (String resource : resources) {
            if (StorageLayout.prefixes(resource).isEmpty()) {
                throw new HomeException("There is no resource '" + resource
                        + "' to encrypt: name it as kubectl api-resources does, such as secrets, configmaps or"
                        + " widgets.example.com.");
            }
        }
        EncryptionConfig changed = config.encrypting(resources);
        if (!changed.toJson().equals(config.toJson())) {
            change(changed);
        }
    }

    /** Writes with a new key from now on, and brings everything under it; the old ones stay for reading. */
    public synchronized Rotation.Summary rotate(Store store) {
        Key added = newKey(config.keys().keySet());
        change(config.withKey(added));
        long rewritten = Rotation.rewrite(store, config.resources());
        return new Rotation.Summary(
                file, added.name(), rewritten, config.resources(), config.keys().size() - 1);
    }

    /** On the disk first: what is encrypted with a key can be decrypted after any crash. */
    private void change(EncryptionConfig changed) {
        try {
            Home.writeDurably(file, changed.toJson().toPrettyString() + "\n");
        } catch (IOException e) {
            throw new HomeException(
                    "The encryption keys cannot be written to " + file + ": " + e.getMessage() + ".", e);
        }
        config = changed;
        rules = EncryptionRules.of(changed);
    }

    private static Key newKey(Set<String> taken) {
        int number = taken.size() + 1;
        while (taken.contains("key" + number)) {
            number++;
        }
        byte[] secret = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(secret);
        return new Key("key" + number, secret);
    }
}
