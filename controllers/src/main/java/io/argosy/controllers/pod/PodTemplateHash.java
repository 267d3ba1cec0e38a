package io.argosy.controllers.pod;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.client.model.Models;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** A short name for a pod template, the same for the same content, made of characters that spell no words. */
public final class PodTemplateHash {
    public static final String LABEL = "pod-template-hash";

    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
    private static final int FNV_PRIME = 0x01000193;

    private int hash = 0x811c9dc5;

    private PodTemplateHash() {}

    /** The collision count moves on to another name when a different template already took the first one. */
    public static String of(Object template, Integer collisionCount) {
        PodTemplateHash hash = new PodTemplateHash();
        hash.add(Models.<JsonNode>toTree(template));
        if (collisionCount != null) {
            hash.add("#" + collisionCount);
        }
        StringBuilder encoded = new StringBuilder();
        for (char digit : Integer.toUnsignedString(hash.hash).toCharArray()) {
            encoded.append(ALPHABET.charAt(digit % ALPHABET.length()));
        }
        return encoded.toString();
    }

    /** Object fields in the order of their names, so that the order in which they were written does not matter. */
    private void add(JsonNode node) {
        if (node.isObject()) {
            Map<String, JsonNode> sorted = new TreeMap<>();
            node.properties().forEach(field -> sorted.put(field.getKey(), field.getValue()));
            add("{");
            sorted.forEach((name, value) -> {
                add(name);
                add(":");
                add(value);
            });
            add("}");
        } else if (node.isArray()) {
            add("[");
            node.forEach(this::add);
            add("]");
        } else {
            add(node.toString());
            add(",");
        }
    }

    private void add(String text) {
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
    }
}
