package io.argosy.server.validation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.argosy.api.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DifferenceTest {
    private static JsonNode tree(String json) {
        return Json.decodeObject(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void changedLinesStandBetweenThoseAroundThem() {
        assertThat(Difference.of(
                        tree("{'a':1,'b':2,'c':3,'d':{'e':'old','f':['x']},'g':5,'h':6,'i':7,'j':8}"),
                        tree("{'a':1,'b':2,'c':3,'d':{'e':'new','f':['x','y']},'g':5,'h':6,'i':7,'j':8}")))
                .isEqualTo("""
                    @@ -3,9 +3,10 @@
                      "b": 2,
                      "c": 3,
                      "d": {
                    -  "e": "old",
                    +  "e": "new",
                       "f": [
                    -   "x"
                    +   "x",
                    +   "y"
                       ]
                      },
                      "g": 5,
                    """);
    }

    @Test
    void changesFarFromEachOtherAreShownApart() {
        assertThat(Difference.of(
                        tree("{'a':1,'b':2,'c':3,'d':4,'e':5,'f':6,'g':7,'h':8,'i':9}"),
                        tree("{'a':0,'b':2,'c':3,'d':4,'e':5,'f':6,'g':7,'h':8,'i':0}")))
                .isEqualTo("""
                    @@ -1,5 +1,5 @@
                     {
                    - "a": 1,
                    + "a": 0,
                      "b": 2,
                      "c": 3,
                      "d": 4,
                    @@ -7,5 +7,5 @@
                      "f": 6,
                      "g": 7,
                      "h": 8,
                    - "i": 9
                    + "i": 0
                     }
                    """);
    }

    @Test
    void theOrderOfFieldsIsNoDifference() {
        assertThat(Difference.of(tree("{'a':1,'b':2}"), tree("{'b':2,'a':1}"))).isEmpty();
    }

    @Test
    void hugeTreesAreComparedInBoundedTime() {
        ArrayNode before = Json.NODES.arrayNode();
        ArrayNode now = Json.NODES.arrayNode();
        for (int i = 0; i < 5_000; i++) {
            before.add(i);
            now.add(-1 - i);
        }
        assertThat(Difference.of(before, now)).startsWith("@@ -1,5002 +1,5002 @@\n [\n- 0,\n- 1,");
    }
}
