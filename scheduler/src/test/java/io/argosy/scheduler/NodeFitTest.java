package io.argosy.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.scheduler.NodeFit.Misfit;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeFitTest {
    private static final Node NODE = new NodeBuilder(
                    Objects.node("n1", "2", "1Gi").build())
            .editMetadata()
            .addToLabels("disk", "ssd")
            .endMetadata()
            .editSpec()
            .addNewTaint("NoExecute", "broken", null, "")
            .addNewTaint("NoSchedule", "full", null, "")
            .endSpec()
            .build();
    private static final List<Pod> OTHERS = List.of(Objects.podOf("other", "", """
        containers:
        - name: c
          image: i
          ports: [{containerPort: 80, hostPort: 8080}]
          resources: {requests: {cpu: "1500m"}}
        """.indent(0)));

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
        tolerations: [{operator: Exists}]                    | - | -
        tolerations: [{key: broken, operator: Exists}]       | - | -
        hostname: h                                          | TaintToleration | Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate
        nodeSelector: {disk: ssd}, tolerations: [{operator: Exists}] | - | -
        nodeSelector: {disk: tape}                           | NodeAffinity | Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector
        containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: 8080}]}] | NodePorts | Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports
        containers: [{name: c, image: i, ports: [{containerPort: 1, hostPort: 8080, protocol: UDP}]}], tolerations: [{operator: Exists}] | - | -
        containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}] | OutOfcpu | Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000
        containers: [{name: c, image: i, resources: {requests: {memory: 2Gi}}}] | OutOfmemory | Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824
        containers: [{name: c, image: i, resources: {requests: {example.com/dongle: "1"}}}], tolerations: [{operator: Exists}] | - | -
        """)
    void whatIsInTheWayIsSaidInTheWordsOfANode(String spec, String reason, String message) {
        Pod pod = Objects.yaml(Pod.class, "{metadata: {name: p, namespace: default, uid: u}, spec: {" + spec + "}}");
        List<Misfit> misfits = NodeFit.check(NODE, OTHERS, pod);
        assertThat(misfits.isEmpty() ? null : misfits.getFirst().reason()).isEqualTo(reason);
        assertThat(misfits.isEmpty() ? null : misfits.getFirst().message()).isEqualTo(message);
    }

    @Test
    void allThatIsInTheWayIsTold() {
        Pod pod = Objects.yaml(
                Pod.class,
                "{metadata: {name: p, namespace: default, uid: u}, spec: {nodeSelector: {disk: tape}, containers: "
                        + "[{name: c, image: i, resources: {requests: {cpu: 1, memory: 2Gi, hugepages-2Mi: 4Mi}}}]}}");

        List<Misfit> misfits = NodeFit.check(NODE, OTHERS, pod);

        assertThat(misfits)
                .extracting(Misfit::reason)
                .containsExactly("OutOfcpu", "OutOfmemory", "OutOfhugepages-2Mi", "NodeAffinity", "TaintToleration");
        assertThat(misfits.getFirst().lacking()).contains(new NodeFit.Lack("cpu", 500));
        assertThat(misfits.getLast().lacking()).isEmpty();
    }

    @Test
    void aNodeThatHasYetToSayWhatItHasRefusesNobodyForLackOfIt() {
        Node young = new NodeBuilder(NODE).withStatus(null).build();
        Pod pod = Objects.yaml(
                Pod.class,
                "{metadata: {name: p, namespace: default, uid: u}, spec: {nodeSelector: {disk: tape}, containers: "
                        + "[{name: c, image: i, resources: {requests: {cpu: 1}}}]}}");

        assertThat(NodeFit.check(young, List.of(), pod))
                .extracting(Misfit::reason)
                .containsExactly("NodeAffinity", "TaintToleration");
        assertThat(NodeFit.check(
                        new NodeBuilder(young).withNewStatus().endStatus().build(), List.of(), pod))
                .extracting(Misfit::reason)
                .containsExactly("NodeAffinity", "TaintToleration");
    }
}
