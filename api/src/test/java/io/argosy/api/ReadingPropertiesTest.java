package io.argosy.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.json.Yaml;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.kinds.ResourceTypes;
import io.argosy.api.protobuf.Envelope;
import io.argosy.api.protobuf.ProtobufDecoder;
import io.argosy.api.quantity.Quantities;
import io.argosy.api.schema.Schema;
import io.argosy.api.schema.Schemas;
import io.argosy.api.selector.FieldSelector;
import io.argosy.api.selector.LabelSelector;
import io.argosy.api.status.ApiException;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What holds of everything that is read: it means what was written, or is refused in the proper way. */
class ReadingPropertiesTest {
    private static final int TRIES = 1_000;

    /** More is not told apart, in Kubernetes either. */
    private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);

    @Test
    void treesComeBackFromJsonAndYamlAsTheyWent() {
        Tries.of(TRIES, random -> {
            JsonNode tree = new RandomJson(random, true).object(4);
            byte[] json = Json.encode(tree);
            assertThat(Json.encode(Json.decode(json))).isEqualTo(json);
            assertThat(Json.encode(Yaml.decode(Yaml.encode(tree))))
                    .asString()
                    .isEqualTo(new String(json, StandardCharsets.UTF_8));
        });
    }

    @Test
    void anyBytesAreReadOrRefused() {
        Tries.of(4 * TRIES, random -> {
            byte[] bytes = new RandomJson(random, true).bytes(200);
            readOrRefused(() -> Json.decode(bytes));
            readOrRefused(() -> Json.decode(bytes, duplicate -> {}));
            readOrRefused(() -> Yaml.decode(bytes));
            readOrRefused(() -> Yaml.decode(bytes, duplicate -> {}));
        });
    }

    private interface Reading {
        void read() throws IOException;
    }

    private static void readOrRefused(Reading reading) {
        try {
            reading.read();
        } catch (IOException refused) {
            assertThat(refused).hasMessageNotContaining("null pointer");
        } catch (ApiException refused) {
            assertThat(refused.code()).isBetween(400, 499);
        }
    }

    @Test
    void messagesWithAnyByteChangedAreReadOrRefused() {
        List<ResourceType> types = ResourceTypes.builtIn().all();
        Tries.of(TRIES, random -> {
            ResourceType type = types.get(random.nextInt(types.size()));
            Schema schema = Schemas.builtIn().find(type.groupVersionKind()).orElseThrow();
            ObjectNode object = Json.object()
                    .put("kind", type.kind())
                    .put("apiVersion", type.groupVersion().toString());
            object.putObject("metadata").put("name", "n").putObject("labels").put("a", "b");
            byte[] message = Envelope.encode(object, schema);
            assertThat(ProtobufDecoder.decode(message)).isEqualTo(object);
            for (int i = random.nextInt(4); i >= 0; i--) {
                message[4 + random.nextInt(message.length - 4)] = (byte) random.nextInt(256);
            }
            byte[] cut = random.nextBoolean() ? message : Arrays.copyOf(message, random.nextInt(message.length));
            readOrRefused(() -> ProtobufDecoder.decode(cut));
        });
    }

    private static final List<String> KEYS = List.of("a", "b", "example.com/c");
    private static final List<String> VALUES = List.of("x", "y", "", "1", "22");

    private static String any(List<String> of, Random random) {
        return of.get(random.nextInt(of.size()));
    }

    /** Blanks may stand anywhere between the words. */
    private static String blank(Random random) {
        return " ".repeat(random.nextInt(3));
    }

    @Test
    void labelSelectorsMeanWhatTheySay() {
        Tries.of(TRIES, random -> {
            Map<String, String> labels = new HashMap<>();
            KEYS.forEach(key -> {
                if (random.nextBoolean()) {
                    labels.put(key, any(VALUES, random));
                }
            });
            List<String> clauses = new ArrayList<>();
            boolean expected = true;
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                String key = any(KEYS, random);
                String value = any(VALUES, random);
                String other = any(VALUES, random);
                String has = labels.get(key);
                String set =
                        blank(random) + "(" + blank(random) + value + blank(random) + "," + blank(random) + other + ")";
                Predicate<String> in = one -> one != null && (one.equals(value) || one.equals(other));
                switch (random.nextInt(6)) {
                    case 0 -> {
                        clauses.add(key + blank(random) + (random.nextBoolean() ? "=" : "==") + blank(random) + value);
                        expected &= value.equals(has);
                    }
                    case 1 -> {
                        clauses.add(key + blank(random) + "!=" + blank(random) + value);
                        expected &= !value.equals(has);
                    }
                    case 2 -> {
                        clauses.add(key + " in" + set);
                        expected &= in.test(has);
                    }
                    case 3 -> {
                        clauses.add(key + " notin" + set);
                        expected &= !in.test(has);
                    }
                    case 4 -> {
                        clauses.add(blank(random) + key);
                        expected &= has != null;
                    }
                    default -> {
                        clauses.add("!" + blank(random) + key);
                        expected &= has == null;
                    }
                }
            }
            String text = String.join(",", clauses);
            assertThat(LabelSelector.parse(text).matches(labels))
                    .as("%s of %s", text, labels)
                    .isEqualTo(expected);
        });
    }

    @Test
    void fieldSelectorsMeanWhatTheySayHoweverTheirValuesLook() {
        Tries.of(TRIES, random -> {
            RandomJson json = new RandomJson(random, true);
            String value = json.text();
            String has = random.nextBoolean() ? value : json.text();
            boolean equal = random.nextBoolean();
            String escaped = value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
            FieldSelector selector = FieldSelector.parse("spec.a" + (equal ? "=" : "!=") + escaped);
            assertThat(selector.matches(Map.of("spec.a", has)))
                    .as("%s of '%s'", selector, has)
                    .isEqualTo(has.equals(value) == equal);
        });
    }

    @Test
    void anyTextIsASelectorOrRefused() {
        Tries.of(4 * TRIES, random -> {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(16); i > 0; i--) {
                text.append("a=!,() ><\\inot\u00e9".charAt(random.nextInt(15)));
            }
            readOrRefused(() -> LabelSelector.parse(text.toString()));
            readOrRefused(() -> FieldSelector.parse(text.toString()));
        });
    }

    @Test
    void anAmountKeepsItsValueInItsOneSpellingOrTheNextThatCanBeSpelled() {
        List<String> suffixes = List.of(
                "", "n", "u", "m", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "Pi", "e3", "E-2", "e0", "e+6");
        Tries.of(2 * TRIES, random -> {
            String number = random.nextInt(3) == 0 ? "" + random.nextInt(3) : "" + random.nextInt(100_000);
            String fraction = random.nextBoolean() ? "" : "." + random.nextInt(1000);
            String text = (random.nextInt(5) == 0 ? "-" : "") + number + fraction + any(suffixes, random);
            String spelled = Quantities.canonical(text).orElseThrow();
            String again = Quantities.canonical(spelled).orElseThrow();
            assertThat(Quantities.value(again).orElseThrow())
                    .as("%s as %s", text, spelled)
                    .isEqualByComparingTo(Quantities.value(spelled).orElseThrow());
            if (!text.endsWith("i")
                    || spelled.endsWith("i")) { // else it no longer says that it counts in powers of two
                assertThat(again).as(text).isEqualTo(spelled);
            }
            BigDecimal exact = Quantities.value(text).orElseThrow().min(LARGEST).max(LARGEST.negate());
            BigDecimal kept = Quantities.value(spelled).orElseThrow();
            boolean whole = text.endsWith("i") && exact.abs().compareTo(BigDecimal.valueOf(1024)) >= 0;
            assertThat(kept)
                    .as("%s as %s", text, spelled)
                    .isEqualByComparingTo(exact.setScale(whole ? 0 : 9, RoundingMode.UP));
        });
    }

    @Test
    void anyTextIsAnAmountOrNone() {
        Tries.of(4 * TRIES, random -> {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(12); i > 0; i--) {
                text.append("0123456789.+-eEKMGTPinumk ".charAt(random.nextInt(26)));
            }
            assertThat(Quantities.canonical(text.toString()).isPresent())
                    .as("'%s'", text)
                    .isEqualTo(Quantities.value(text.toString()).isPresent());
        });
    }
}
