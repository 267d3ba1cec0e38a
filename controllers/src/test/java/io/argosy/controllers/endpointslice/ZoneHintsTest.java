package io.argosy.controllers.endpointslice;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.endpointslice.DesiredEndpoints.Key;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whom endpoints are for when the service leaves that to the cluster. */
class ZoneHintsTest {
    /** The zones that endpoints stand in, one letter each; what they were assigned to, a dot for none; what they are. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        as many in each zone              | a=4 b=4     | aabb         | ....         | aabb
        all in one of two zones           | a=4 b=4     | aaaa         | ....         | bbaa
        zones of different size           | a=6 b=2     | aabb         | ....         | aaab
        three zones, all in one           | a=4 b=4 c=4 | aaaaaa       | ......       | bbccaa
        a zone that nobody works in       | a=4 b=4     | aacc         | ....         | aabb
        what was assigned stays           | a=4 b=4     | aaaabb       | abaabb       | abaabb
        one more is for its own zone      | a=4 b=4     | aaaabba      | bbaabb.      | bbaabba
        too many in one zone by now       | a=4 b=4     | aaaa         | aaaa         | bbaa
        assigned to a zone that is gone   | a=4 b=4     | aabb         | ccbb         | aabb
        fewer than zones                  | a=4 b=4     | a            | .            | Insufficient number of endpoints (1 endpoints, 2 zones)
        not enough for each               | a=4 b=4     | aab          | ...          | Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones)
        an endpoint without a zone        | a=4 b=4     | aab-         | ....         | One or more endpoints do not have a zone specified
        one zone                          | a=4         | aa           | ..           | Insufficient Node information: allocatable CPU or zone not specified on one or more nodes
        a node without a zone             | a=4 b=4 -=4 | aabb         | ....         | Insufficient Node information: allocatable CPU or zone not specified on one or more nodes
        a node without processors         | a=4 b=0     | aabb         | ....         | Insufficient Node information: allocatable CPU or zone not specified on one or more nodes
        a node that is not ready          | a=4 b=4 !=4 | aabb         | ....         | aabb
        a node that is not for work       | a=4 b=4 ^=4 | aabb         | ....         | aabb
        """)
    void zonesGetAsManyAsTheyNeed(String name, String nodes, String zones, String before, String expected) {
        Map<Key, Endpoint> endpoints = new LinkedHashMap<>();
        Map<Key, String> former = new HashMap<>();
        for (int i = 0; i < zones.length(); i++) {
            Endpoint endpoint = new EndpointBuilder()
                    .withAddresses("10.0.0." + i)
                    .withZone(zones.charAt(i) == '-' ? null : zones.substring(i, i + 1))
                    .build();
            endpoints.put(Key.of(endpoint), endpoint);
            if (before.charAt(i) != '.') {
                former.put(Key.of(endpoint), before.substring(i, i + 1));
            }
        }
        ZoneHints.Outcome outcome = ZoneHints.assign(
                endpoints,
                former,
                ZoneShares.of(
                        Arrays.stream(nodes.split(" ")).map(ZoneHintsTest::node).toList()));
        assertThat(outcome.objection()
                        .orElseGet(() -> String.join("", outcome.zones().values())))
                .isEqualTo(expected);
        assertThat(ZoneHints.assign(endpoints, outcome.zones(), new TreeMap<>()).zones())
                .as("and goes when the zones do")
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Auto,, true",
        "auto,, true",
        ", Auto, true",
        "Disabled, Auto, false",
        "Auto, Disabled, true",
        "on,, false",
        ",, false"
    })
    void theAnnotationOfOldGoesFirst(String old, String mode, boolean wanted) {
        Map<String, String> annotations = new HashMap<>();
        if (old != null) {
            annotations.put("service.kubernetes.io/topology-aware-hints", old);
        }
        if (mode != null) {
            annotations.put("service.kubernetes.io/topology-mode", mode);
        }
        Service service = new ServiceBuilder()
                .withNewMetadata()
                .withAnnotations(annotations)
                .endMetadata()
                .build();
        assertThat(ZoneHints.areWanted(service)).isEqualTo(wanted);
    }

    /** A zone and its processors; {@code -} has no zone, {@code !} is not ready, {@code ^} is a control plane. */
    private static Node node(String text) {
        String zone = text.substring(0, 1);
        NodeBuilder node = new NodeBuilder()
                .withNewMetadata()
                .withName("n-" + text)
                .endMetadata()
                .withNewStatus()
                .withAllocatable(Map.of("cpu", new Quantity(text.substring(2))))
                .addNewCondition()
                .withType("Ready")
                .withStatus(zone.equals("!") ? "False" : "True")
                .endCondition()
                .endStatus();
        if (List.of("a", "b", "c").contains(zone)) {
            node.editMetadata().addToLabels(DesiredEndpoints.ZONE, zone).endMetadata();
        }
        if (zone.equals("^")) {
            node.editMetadata()
                    .addToLabels("node-role.kubernetes.io/control-plane", "")
                    .endMetadata();
        }
        return node.build();
    }
}
