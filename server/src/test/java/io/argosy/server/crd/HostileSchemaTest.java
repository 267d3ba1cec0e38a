package io.argosy.server.crd;

import static io.argosy.server.crd.DefinedResources.DEFINITIONS;
import static io.argosy.server.crd.DefinedResources.definition;
import static io.argosy.server.crd.DefinedResources.establish;
import static io.argosy.server.crd.DefinedResources.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Schemas that are meant to bring a server down: it answers in time, and goes on serving others. */
@Timeout(120)
class HostileSchemaTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;

    @BeforeEach
    void client() {
        admin = SERVER.admin();
    }

    private void othersAreServed() {
        admin.get("/api/v1/namespaces/default").is(200);
    }

    @Test
    void aPatternThatOthersWouldBacktrackOnForEverIsDecidedAtOnce() {
        establish(
                admin,
                definition(
                        "traps",
                        "Trap",
                        spec("{'a':{'type':'string','pattern':'^(a+)+$'},"
                                + "'b':{'type':'string','pattern':'^(.*)*x(.*)*y(.*)*z$'}}"),
                        ""));
        String traps = "/apis/example.com/v1/namespaces/default/traps";
        String bad = "a".repeat(50_000) + "!";
        Reply refused = admin.post(traps, "{'metadata':{'name':'t'},'spec':{'a':'" + bad + "','b':'" + bad + "'}}")
                .is(422);
        assertThat(refused.message()).contains("spec.a: Invalid value").contains("should match '^(a+)+$'");
        admin.create(traps, "{'metadata':{'name':'t'},'spec':{'a':'" + "a".repeat(50_000) + "'}}");
        othersAreServed();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"(?=a)b", "(a)\\\\1", "a{1001}", "((a{100}){100}){100}", "[z-a]", "(", "a**", "\\\\p{Nope}"})
    void aPatternThatCannotBeUsedIsRefusedWithTheDefinition(String pattern) {
        Reply refused = admin.post(
                        DEFINITIONS,
                        definition("nets", "Net", spec("{'a':{'type':'string','pattern':'" + pattern + "'}}"), ""))
                .is(422);
        assertThat(refused.message())
                .contains(
                        "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a].pattern: Invalid value");
        othersAreServed();
    }

    @Test
    void aSchemaWithoutAnEndIsRefused() {
        String deep = "{'type':'object','properties':{'a':".repeat(5_000) + "{'type':'string'}" + "}}".repeat(5_000);
        Reply refused = admin.post(DEFINITIONS, definition("wells", "Well", deep, ""));
        assertThat(refused.status()).isIn(400, 413, 422);
        assertThat(refused.body().path("kind").asText()).isEqualTo("Status");
        Reply recursive = admin.post(
                        DEFINITIONS, definition("loops", "Loop", spec("{'a':{'$ref':'#/properties/spec'}}"), ""))
                .is(422);
        assertThat(recursive.message()).contains("$ref");
        othersAreServed();
    }

    @Test
    void anObjectDeeperThanAnybodyNeedsIsRefused() {
        establish(
                admin,
                definition("mines", "Mine", "{'type':'object','x-kubernetes-preserve-unknown-fields':true}", ""));
        String deep = "{'a':".repeat(20_000) + "1" + "}".repeat(20_000);
        Reply refused = admin.post(
                "/apis/example.com/v1/namespaces/default/mines", "{'metadata':{'name':'m'},'spec':" + deep + "}");
        assertThat(refused.status()).isIn(400, 413, 422);
        othersAreServed();
    }

    @Test
    void aRuleThatReadsALargeTextOverAndOverIsEnded() {
        establish(
                admin,
                definition(
                        "whirls",
                        "Whirl",
                        spec("{'big':{'type':'string','maxLength':100000},'what':{'type':'string','maxLength':2},'items':{'type':'array','maxItems':200,'items':{'type':'integer'}}}")
                                .replace(
                                        "'properties':{'big'",
                                        "'x-kubernetes-validations':[{'rule':'[self.big].all(b,"
                                                + " self.items.all(i, !b.contains(self.what)))'}],"
                                                + "'properties':{'big'"),
                        ""));
        String items = "0,".repeat(199) + "0";
        Reply refused = admin.post(
                        "/apis/example.com/v1/namespaces/default/whirls",
                        "{'metadata':{'name':'w'},'spec':{'big':'" + "x".repeat(100_000) + "','what':'y','items':["
                                + items + "]}}")
                .is(422);
        assertThat(refused.message()).contains("actual cost limit exceeded");
        othersAreServed();
    }

    @Test
    void aRuleThatCostsTooMuchIsRefused() {
        String loops = "self.all(a, self.all(b, self.all(c, self.all(d, a + b + c + d != a + a))))";
        Reply refused = admin.post(
                        DEFINITIONS,
                        definition(
                                "mills",
                                "Mill",
                                spec("{'l':{'type':'array','maxItems':10000,'items':{'type':'string','maxLength':1000},"
                                        + "'x-kubernetes-validations':[{'rule':'" + loops
                                        + "'}]}}"),
                                ""))
                .is(422);
        assertThat(refused.message()).contains("estimated rule cost exceeds budget");
        othersAreServed();
    }
}
