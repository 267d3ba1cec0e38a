package io.argosy.server.flow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.argosy.api.time.Clock;
import io.argosy.server.FlowUpkeep;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import io.argosy.server.authn.User;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** FlowSchemas and PriorityLevelConfigurations as objects: what is built in, what is allowed, what the server says of them. */
class FlowObjectsTest {
    private static final String LEVELS = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
    private static final String SCHEMAS = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final BlockingQueue<Runnable> TIMERS = new LinkedBlockingQueue<>();
    private static TestClient admin;
    private static FlowUpkeep upkeep;

    /** Time passes when the test says so. */
    private static final Clock CLOCK = new Clock() {
        @Override
        public Instant now() {
            return Clock.system().now();
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            TIMERS.add(task);
            return () -> TIMERS.remove(task);
        }
    };

    @BeforeAll
    static void begin() {
        admin = SERVER.admin();
        User server = new User("system:apiserver", List.of(User.MASTERS));
        upkeep = new FlowUpkeep(SERVER.server().registry(), SERVER.server().local(server), CLOCK);
        upkeep.start();
    }

    @AfterAll
    static void end() {
        upkeep.close();
    }

    private static JsonNode dangling(String schema, String status) {
        Reply reply = admin.await(
                SCHEMAS + "/" + schema, answer -> condition(answer, status).isPresent());
        return condition(reply, status).orElseThrow();
    }

    private static Optional<JsonNode> condition(Reply schema, String status) {
        for (JsonNode condition : schema.is(200).at("/status/conditions")) {
            if (condition.path("status").asText().equals(status)) {
                return Optional.of(condition);
            }
        }
        return Optional.empty();
    }

    private static void letTimePass() throws InterruptedException {
        Runnable task = TIMERS.poll(60, TimeUnit.SECONDS);
        assertThat(task).as("something planned for later").isNotNull();
        task.run();
    }

    @Test
    void whatEveryClusterHasIsThere() {
        assertThat(admin.get(LEVELS).names())
                .contains(
                        "catch-all",
                        "exempt",
                        "global-default",
                        "leader-election",
                        "node-high",
                        "system",
                        "workload-high",
                        "workload-low");
        assertThat(admin.get(SCHEMAS).names())
                .contains(
                        "catch-all",
                        "exempt",
                        "global-default",
                        "kube-controller-manager",
                        "kube-scheduler",
                        "kube-system-service-accounts",
                        "probes",
                        "service-accounts",
                        "system-leader-election",
                        "system-node-high",
                        "system-nodes");
        Reply nodes = admin.get(SCHEMAS + "/system-node-high");
        assertThat(nodes.at("/spec/rules/0/resourceRules/0").toString())
                .isEqualTo("{\"apiGroups\":[\"\"],\"clusterScope\":true,\"namespaces\":[\"*\"],"
                        + "\"resources\":[\"nodes\",\"nodes/status\"],\"verbs\":[\"*\"]}");
        assertThat(nodes.at("/metadata/annotations/apf.kubernetes.io~1autoupdate-spec")
                        .asText())
                .isEqualTo("true");
    }

    @Test
    void schemasSayWhetherTheirLevelExists() throws Exception {
        assertThat(dangling("catch-all", "False").path("message").asText())
                .isEqualTo("This FlowSchema references the PriorityLevelConfiguration object named \"catch-all\" and it"
                        + " exists");
        admin.create(SCHEMAS, schema("lost", "nowhere"));
        JsonNode lost = dangling("lost", "True");
        assertThat(lost.path("reason").asText()).isEqualTo("NotFound");
        assertThat(lost.path("message").asText())
                .isEqualTo(
                        "This FlowSchema references the PriorityLevelConfiguration object named \"nowhere\" but there"
                                + " is no such object");
        admin.create(LEVELS, """
            {'metadata':{'name':'nowhere'},'spec':{'type':'Limited','limited':{'limitResponse':{'type':'Reject'}}}}\
            """);
        assertThat(dangling("lost", "False").path("reason").asText()).isEqualTo("Found");
        admin.delete(LEVELS + "/nowhere").is(200);
        dangling("lost", "True");
    }

    private static String schema(String name, String level) {
        return "{'metadata':{'name':'" + name + "'},'spec':{'priorityLevelConfiguration':{'name':'" + level
                + "'},'rules':[{'subjects':[{'kind':'User','user':{'name':'nobody'}}],"
                + "'nonResourceRules':[{'verbs':['get'],'nonResourceURLs':['/x']}]}]}}";
    }

    @Test
    void whatIsBuiltInComesBackUnlessPeopleKeepItOtherwise() throws Exception {
        admin.delete(LEVELS + "/workload-low").is(200);
        letTimePass();
        admin.await(LEVELS + "/workload-low", level -> level.status() == 200);
        admin.patch(LEVELS + "/system", TestClient.MERGE_PATCH, "{'spec':{'limited':{'nominalConcurrencyShares':7}}}")
                .is(200);
        letTimePass();
        admin.await(
                LEVELS + "/system",
                level -> level.at("/spec/limited/nominalConcurrencyShares").asInt() == 30);
        admin.patch(LEVELS + "/node-high", TestClient.MERGE_PATCH, """
            {'metadata':{'annotations':{'apf.kubernetes.io/autoupdate-spec':'false'}},
             'spec':{'limited':{'nominalConcurrencyShares':7}}}\
            """).is(200);
        admin.delete(LEVELS + "/workload-high").is(200);
        letTimePass();
        admin.await(LEVELS + "/workload-high", level -> level.status() == 200);
        assertThat(shares("node-high")).isEqualTo(7);
    }

    private static int shares(String level) {
        return admin.get(LEVELS + "/" + level)
                .at("/spec/limited/nominalConcurrencyShares")
                .asInt();
    }

    @Test
    void whatIsLeftOutIsFilledIn() {
        Reply level = admin.create(LEVELS, """
            {'metadata':{'name':'short'},'spec':{'type':'Limited','limited':{'limitResponse':{'type':'Queue','queuing':{}}}}}\
            """);
        assertThat(level.at("/spec/limited").toString())
                .isEqualTo("{\"limitResponse\":{\"type\":\"Queue\",\"queuing\":{\"queues\":64,\"handSize\":8,"
                        + "\"queueLengthLimit\":50}},\"nominalConcurrencyShares\":30,\"lendablePercent\":0}");
        Reply schema = admin.create(SCHEMAS, schema("brief", "short"));
        assertThat(schema.at("/spec/matchingPrecedence").asInt()).isEqualTo(1000);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'type':'Wild'} | spec.type: Unsupported value: \"Wild\": supported values: \"Exempt\", \"Limited\"",
                "{'type':'Exempt'} | type must be 'Exempt' if and only if `name` is 'exempt'",
                "{'type':'Limited'} | spec.limited: Required value: must not be empty when type is Limited",
                "{'type':'Limited','limited':{'limitResponse':{'type':'Queue'}}} | spec.limited.limitResponse.queuing:"
                        + " Required value",
                "{'type':'Limited','limited':{'lendablePercent':101,'limitResponse':{'type':'Reject'}}} |"
                        + " spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive",
                "{'type':'Limited','limited':{'nominalConcurrencyShares':-1,'limitResponse':{'type':'Reject'}}} | must"
                        + " be a non-negative integer",
                "{'type':'Limited','limited':{'limitResponse':{'type':'Queue','queuing':{'queues':4,'handSize':5}}}} |"
                        + " spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than"
                        + " queues (4)",
                "{'type':'Limited','limited':{'limitResponse':{'type':'Queue','queuing':{'queues':512,'handSize':8}}}}"
                        + " | required entropy bits of deckSize 512 and handSize 8 should not be greater than 60",
            })
    void senselessLevelsAreRefused(String spec, String why) {
        assertRefused(LEVELS, spec, why);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'matchingPrecedence':1,'priorityLevelConfiguration':{'name':'l'}} | only the schema named 'exempt'"
                        + " may have matchingPrecedence 1",
                "{'matchingPrecedence':10001,'priorityLevelConfiguration':{'name':'l'}} | spec.matchingPrecedence:"
                        + " Invalid value: 10001: must not be greater than 10000",
                "{'priorityLevelConfiguration':{'name':''}} | spec.priorityLevelConfiguration.name: Required value:"
                        + " must reference a priority level",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'User'}],'nonResourceRules':[{'verbs':['get'],'nonResourceURLs':['/x']}]}]}"
                        + " | spec.rules[0].subjects[0].user: Required value: user is required when subject kind is"
                        + " 'User'",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'User','user':{'name':'u'},'group':{'name':'g'}}],'nonResourceRules':[{'verbs':['get'],'nonResourceURLs':['/x']}]}]}"
                        + " | spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not"
                        + " 'Group'",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'ServiceAccount','serviceAccount':{'name':'A','namespace':'n'}}],'nonResourceRules':[{'verbs':['get'],'nonResourceURLs':['/x']}]}]}"
                        + " | spec.rules[0].subjects[0].serviceAccount.name: Invalid value: \"A\": a lowercase RFC 1123"
                        + " subdomain",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'User','user':{'name':'u'}}],'nonResourceRules':[{'verbs':['get'],'nonResourceURLs':['x']}]}]}"
                        + " | spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: \"x\": must start with"
                        + " slash",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'User','user':{'name':'u'}}],'nonResourceRules':[{'verbs':['get'],'nonResourceURLs':['/a"
                        + " b']}]}]} | spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: \"/a b\": must"
                        + " not contain white-space",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'User','user':{'name':'u'}}],'nonResourceRules':[{'verbs':['get'],'nonResourceURLs':['/a//b']}]}]}"
                        + " | spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: \"/a//b\": must not"
                        + " contain double slash",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'User','user':{'name':'u'}}],'nonResourceRules':[{'verbs':['get'],'nonResourceURLs':['/a*']}]}]}"
                        + " | spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: \"/a*\": wildcard can"
                        + " only do suffix matching",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'User','user':{'name':'u'}}],'nonResourceRules':[{'verbs':['get'],'nonResourceURLs':['*','/x']}]}]}"
                        + " | spec.rules[0].nonResourceRules[0].nonResourceURLs: Invalid value: [\"*\",\"/x\"]: if '*' is"
                        + " present, must not specify other non-resource URLs",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'User','user':{'name':'u'}}],'resourceRules':[{'verbs':['fly'],'apiGroups':['*'],'resources':['*'],'namespaces':['*']}]}]}"
                        + " | spec.rules[0].resourceRules[0].verbs: Unsupported value: [\"fly\"]: supported values:"
                        + " \"create\", \"delete\"",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'User','user':{'name':'u'}}],'resourceRules':[{'verbs':['get'],'apiGroups':['*','a'],'resources':['*'],'namespaces':['*']}]}]}"
                        + " | spec.rules[0].resourceRules[0].apiGroups: Invalid value: [\"*\",\"a\"]: if '*' is present,"
                        + " must not specify other api groups",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'User','user':{'name':'u'}}],'resourceRules':[{'verbs':['get'],'apiGroups':['*'],'resources':['*'],'namespaces':['A']}]}]}"
                        + " | spec.rules[0].resourceRules[0].namespaces[0]: Invalid value: \"A\": each member of this list"
                        + " must be '*' or a DNS-1123 label; a lowercase RFC 1123 label",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'User','user':{'name':'u'}}]}]}"
                        + " | spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be"
                        + " non-empty",
                "{'priorityLevelConfiguration':{'name':'l'},'rules':[{'subjects':[{'kind':'User','user':{'name':'u'}}],'resourceRules':[{'verbs':['*'],'apiGroups':['*'],'resources':['*']}]}]}"
                        + " | spec.rules[0].resourceRules[0].namespaces: Required value",
            })
    void senselessSchemasAreRefused(String spec, String why) {
        assertRefused(SCHEMAS, spec, why);
    }

    private static void assertRefused(String path, String spec, String why) {
        Reply refused = admin.post(path, "{'metadata':{'name':'x'},'spec':" + spec + "}")
                .is(422);
        assertThat(refused.message()).contains(why);
    }

    @Test
    void whatEveryClusterNeedsCannotBeHadOtherwise() {
        Reply refused = admin.patch(
                        SCHEMAS + "/catch-all", TestClient.MERGE_PATCH, "{'spec':{'matchingPrecedence':9999}}")
                .is(422);
        assertThat(refused.message()).contains("spec of 'catch-all' must equal the fixed value");
        assertThat(refused.body()).isNotInstanceOf(MissingNode.class);
    }
}
