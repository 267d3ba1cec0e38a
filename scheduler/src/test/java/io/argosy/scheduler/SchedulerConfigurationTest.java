package io.argosy.scheduler;

import static io.argosy.scheduler.Objects.node;
import static io.argosy.scheduler.Objects.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchedulerConfigurationTest {
    private static final String HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

    private static List<Profile> parse(String body) {
        return SchedulerConfiguration.parse(HEAD + body);
    }

    @Test
    void aFileThatNamesNoProfileHasTheDefault() {
        assertThat(parse("leaderElection: {leaderElect: true}")).containsExactly(Profile.DEFAULT);
        assertThat(parse("profiles: []")).containsExactly(Profile.DEFAULT);
        assertThat(parse("percentageOfNodesToScore: 40"))
                .singleElement()
                .satisfies(profile ->
                        assertThat(profile.percentageOfNodesToScore()).isEqualTo(40));
    }

    @Test
    void eachProfileSaysWhatTakesPart() {
        List<Profile> profiles = parse("""
                percentageOfNodesToScore: 50
                profiles:
                - schedulerName: default-scheduler
                - schedulerName: careless
                  percentageOfNodesToScore: 100
                  plugins:
                    multiPoint:
                      disabled: [{name: TaintToleration}, {name: NodeVolumeLimits}]
                    postFilter:
                      disabled: [{name: "*"}]
                    score:
                      disabled: [{name: "*"}]
                      enabled: [{name: ImageLocality, weight: 5}]
                """);
        assertThat(profiles).extracting(Profile::schedulerName).containsExactly("default-scheduler", "careless");
        Profile careless = profiles.getLast();
        assertThat(careless.unfiltered()).contains("TaintToleration").doesNotContain("NodeResourcesFit");
        assertThat(careless.unscored()).contains("NodeResourcesFit").doesNotContain("ImageLocality");
        assertThat(careless.weights()).isEqualTo(Map.of("ImageLocality", 5));
        assertThat(careless.preempts()).isFalse();
        assertThat(careless.percentageOfNodesToScore()).isEqualTo(100);
        assertThat(profiles.getFirst().percentageOfNodesToScore()).isEqualTo(50);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{type: LeastAllocated} | empty",
                "{type: MostAllocated} | full",
                "{type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 50, score: 10}, {utilization: 100, score: 0}]}} | half",
                "{type: MostAllocated, resources: [{name: memory, weight: 3}]} | full"
            })
    void podsAreSpreadOrPacked(String strategy, String chosen) {
        Profile profile = parse("""
                profiles:
                - plugins:
                    score:
                      disabled: [{name: NodeResourcesBalancedAllocation}]
                  pluginConfig:
                  - name: NodeResourcesFit
                    args: {kind: NodeResourcesFitArgs, scoringStrategy: %s}
                """.formatted(strategy)).getFirst();
        Board board = new Board(profile);
        board.nodes(
                node("empty", "10", "10Gi").build(),
                node("half", "10", "10Gi").build(),
                node("full", "10", "10Gi").build());
        board.place("half", pod("a", "4", "4Gi")).place("full", pod("b", "8", "8Gi"));
        assertThat(board.choices(pod("p", "1", "1Gi"))).containsExactly(chosen);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kind: Other | kind: must be KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1",
                "extenders: [] | extenders: unknown field",
                "percentageOfNodesToScore: 101 | percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
                "profiles: [{schedulerName: a}, {schedulerName: a}] | profiles[1].schedulerName: Duplicate value: \"a\"",
                "profiles: [{plugins: {score: {enabled: [{name: Coscheduling}]}}}] | profiles[0].plugins.score.enabled[0].name: Invalid value: \"Coscheduling\": there is no such plugin",
                "profiles: [{plugins: {score: {enabled: [{name: ImageLocality, weight: 101}]}}}] | profiles[0].plugins.score.enabled[0].weight: Invalid value: 101: not in valid range [0-100]",
                "profiles: [{plugins: {permit: {}}}] | profiles[0].plugins.permit: unknown field",
                "profiles: [{pluginConfig: [{name: NodeAffinity}]}] | profiles[0].pluginConfig[0].name: Invalid value: \"NodeAffinity\": takes no arguments here",
                "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: Odd}}}]}] | profiles[0].pluginConfig[0].args.scoringStrategy.type: Unsupported value: \"Odd\": supported values: \"LeastAllocated\", \"MostAllocated\", \"RequestedToCapacityRatio\"",
                "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {resources: [{name: nvidia.com/gpu}]}}}]}] | profiles[0].pluginConfig[0].args.scoringStrategy.resources[0].name: Invalid value: \"nvidia.com/gpu\": only cpu and memory are compared here",
                "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: RequestedToCapacityRatio}}}]}] | profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point must be specified"
            })
    void whatIsWrongIsNamed(String body, String message) {
        String text = body.startsWith("kind") ? "apiVersion: v1\n" + body : HEAD + body;
        assertThatThrownBy(() -> SchedulerConfiguration.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
