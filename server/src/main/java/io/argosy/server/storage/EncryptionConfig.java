package io.argosy.server.storage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which resources are encrypted where they are stored and with which keys, as upstream's EncryptionConfiguration says it: of the providers of a
 * resource the first one writes, with the first of its keys, and all of them read.
 *
 * @param entries the first that names a resource is the one that counts
 */
public record EncryptionConfig(List<Entry> entries) {
    private static final String API_VERSION = "apiserver.config.k8s.io/v1";
    private static final String KIND = "EncryptionConfiguration";

    /** A key of AES by its name, which stands beside every value it has encrypted. */
    @SuppressWarnings("ArrayRecordComponent") // never compared, never changed
    public record Key(String name, byte[] secret) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** A way to write and read values. */
    public sealed interface Provider {
        /** Encrypted by AES-GCM. */
        record AesGcm(List<Key> keys) implements Provider {}

        /** As they are. */
        record Identity() implements Provider {}
    }

    /** What is done with some resources, such as {@code secrets} or {@code widgets.example.com}. */
    public record Entry(List<String> resources, List<Provider> providers) {}

    public EncryptionConfig {
        entries = List.copyOf(entries);
    }

    /** Encrypts these resources with this key. */
    public static EncryptionConfig of(List<String> resources, Key key) {
        return new EncryptionConfig(
                List.of(new Entry(resources, List.of(new Provider.AesGcm(List.of(key)), new Provider.Identity()))));
    }

    /** Throws {@link IllegalArgumentException} that says what is wrong, without a word of a key. */
    public static EncryptionConfig parse(JsonNode tree) {
        require(
                tree.path("apiVersion").asText().equals(API_VERSION)
                        && tree.path("kind").asText().equals(KIND),
                "it is no " + KIND + " of " + API_VERSION);
        List<Entry> entries = new ArrayList<>();
        for (JsonNode entry : tree.path("resources")) {
            List<String> resources = new ArrayList<>();
            entry.path("resources").forEach(resource -> resources.add(resource.asText()));
            List<Provider> providers = new ArrayList<>();
            entry.path("providers").forEach(provider -> providers.add(provider(provider)));
            require(!resources.isEmpty(), "resources[" + entries.size() + "] names no resources");
            require(!providers.isEmpty(), "resources[" + entries.size() + "] has no providers");
            entries.add(new Entry(List.copyOf(resources), List.copyOf(providers)));
        }
        require(!entries.isEmpty(), "it has no resources");
        EncryptionConfig config = new EncryptionConfig(entries);
        config.keys(); // says now if a name stands for two
        return config;
    }

    private static Provider provider(JsonNode tree) {
        require(tree.size() == 1, "a provider must be one of aesgcm and identity");
        String name = tree.fieldNames().next();
        if (name.equals("identity")) {
            return new Provider.Identity();
        }
        require(name.equals("aesgcm"), "the provider " + name + " is not known here, only aesgcm and identity are");
        List<Key> keys = new ArrayList<>();
        for (JsonNode key : tree.get(name).path("keys")) {
            keys.add(key(key));
        }
        require(!keys.isEmpty(), "aesgcm has no keys");
        return new Provider.AesGcm(List.copyOf(keys));
    }

    private static Key key(JsonNode tree) {
        String name = tree.path("name").asText();
        require(!name.isEmpty() && name.indexOf(':') < 0, "a key's name must not be empty nor hold a colon");
        byte[] secret;
        try {
            secret = Base64.getDecoder().decode(tree.path("secret").asText());
        } catch (IllegalArgumentException notBase64) {
            throw new IllegalArgumentException("the secret of the key " + name + " is not base64", null);
        }
        require(
                secret.length == 16 || secret.length == 24 || secret.length == 32,
                "the secret of the key " + name + " has " + secret.length + " bytes, not 16, 24 or 32");
        return new Key(name, secret);
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** All keys by their names. */
    public Map<String, Key> keys() {
        Map<String, Key> keys = new HashMap<>();
        for (Entry entry : entries) {
            for (Provider provider : entry.providers()) {
                for (Key key : provider instanceof Provider.AesGcm aes ? aes.keys() : List.<Key>of()) {
                    Key other = keys.put(key.name(), key);
                    require(
                            other == null || java.security.MessageDigest.isEqual(other.secret(), key.secret()),
                            "two keys have the name " + key.name());
                }
            }
        }
        return keys;
    }

    /** The resources it speaks of. */
    public List<String> resources() {
        return entries.stream()
                .flatMap(entry -> entry.resources().stream())
                .distinct()
                .toList();
    }

    /** The same with another key, which writes from now on wherever one did. */
    public EncryptionConfig withKey(Key key) {
        List<Entry> changed = new ArrayList<>();
        for (Entry entry : entries) {
            List<Provider> providers = new ArrayList<>(entry.providers());
            providers.replaceAll(provider -> provider instanceof Provider.AesGcm aes ? before(key, aes) : provider);
            changed.add(new Entry(entry.resources(), List.copyOf(providers)));
        }
        return new EncryptionConfig(changed);
    }

    private static Provider before(Key key, Provider.AesGcm aes) {
        List<Key> keys = new ArrayList<>(aes.keys());
        keys.addFirst(key);
        return new Provider.AesGcm(List.copyOf(keys));
    }

    /** The same keys, with which these resources are encrypted; what was but is no more can still be read. */
    public EncryptionConfig encrypting(List<String> resources) {
        List<Key> keys = new ArrayList<>();
        for (Entry entry : entries) {
            for (Provider provider : entry.providers()) {
                if (provider instanceof Provider.AesGcm aes) {
                    aes.keys().stream()
                            .filter(key -> keys.stream()
                                    .noneMatch(known -> known.name().equals(key.name())))
                            .forEach(keys::add);
                }
            }
        }
        Provider aes = new Provider.AesGcm(List.copyOf(keys));
        List<Entry> changed = new ArrayList<>();
        if (!resources.isEmpty()) {
            changed.add(new Entry(List.copyOf(resources), List.of(aes, new Provider.Identity())));
        }
        List<String> plain =
                resources().stream().filter(name -> !resources.contains(name)).toList();
        if (!plain.isEmpty()) {
            changed.add(new Entry(plain, List.of(new Provider.Identity(), aes)));
        }
        return new EncryptionConfig(changed);
    }

    /** As the file that upstream's API server takes, too. */
    public ObjectNode toJson() {
        ObjectNode tree = Json.object().put("apiVersion", API_VERSION).put("kind", KIND);
        ArrayNode all = tree.putArray("resources");
        for (Entry entry : entries) {
            ObjectNode one = all.addObject();
            ArrayNode resources = one.putArray("resources");
            entry.resources().forEach(resources::add);
            ArrayNode providers = one.putArray("providers");
            for (Provider provider : entry.providers()) {
                switch (provider) {
                    case Provider.Identity _ -> providers.addObject().putObject("identity");
                    case Provider.AesGcm aes -> {
                        ArrayNode keys =
                                providers.addObject().putObject("aesgcm").putArray("keys");
                        aes.keys()
                                .forEach(key -> keys.addObject()
                                        .put("name", key.name())
                                        .put("secret", Base64.getEncoder().encodeToString(key.secret())));
                    }
                }
            }
        }
        return tree;
    }
}
