package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The objects that say which addresses Services have, and from which ranges. */
class ServiceRangesTest {
    private static final String NETWORKING = "/apis/networking.k8s.io/v1/";
    private static final String ADDRESSES = NETWORKING + "ipaddresses";
    private static final String RANGES = NETWORKING + "servicecidrs";
    private static final String READY =
            "{'status':{'conditions':[{'type':'Ready','status':'%s','reason':'r','message':'','lastTransitionTime':'2026-01-01T00:00:00Z'}]}}";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String namespace;
    private String services;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        namespace = SERVER.namespace();
        services = "/api/v1/namespaces/" + namespace + "/services";
    }

    private Reply serve(String name, String spec) {
        return admin.post(services, "{'metadata':{'name':'" + name + "'},'spec':{" + spec + "'ports':[{'port':80}]}}");
    }

    @Test
    void theAddressOfAServiceIsAnObjectAsLongAsTheServiceLives() {
        String address = serve("s", "").is(201).at("/spec/clusterIP").asText();
        Reply object = admin.get(ADDRESSES + "/" + address).is(200);
        JsonNode labels = object.at("/metadata/labels");
        assertThat(labels.path("ipaddress.kubernetes.io/ip-family").asText()).isEqualTo("IPv4");
        assertThat(labels.path("ipaddress.kubernetes.io/managed-by").asText()).isEqualTo("ipallocator.k8s.io");
        JsonNode parent = object.at("/spec/parentRef");
        assertThat(parent.path("resource").asText()).isEqualTo("services");
        assertThat(parent.path("namespace").asText()).isEqualTo(namespace);
        assertThat(parent.path("name").asText()).isEqualTo("s");
        admin.delete(services + "/s").is(200);
        admin.get(ADDRESSES + "/" + address).is(404);
    }

    @Test
    void whatIsNotWrittenLeavesNone() {
        int before = admin.get(ADDRESSES).at("/items").size();
        admin.post(services + "?dryRun=All", "{'metadata':{'name':'d'},'spec':{'ports':[{'port':80}]}}")
                .is(201);
        serve("Bad_Name", "").is(422);
        serve("h", "'clusterIP':'None',").is(201);
        assertThat(admin.get(ADDRESSES).at("/items")).hasSize(before);
        serve("s", "").is(201);
        serve("s", "").is(409);
        assertThat(admin.get(ADDRESSES).at("/items")).hasSize(before + 1);
    }

    @Test
    void anAddressThatSomebodyElseHoldsIsNotGiven() {
        admin.create(
                ADDRESSES,
                "{'metadata':{'name':'10.96.0.12'},'spec':{'parentRef':{'group':'example.com','resource':'gates','name':'g'}}}");
        assertThat(serve("s", "'clusterIP':'10.96.0.12',").is(422).message())
                .endsWith("failed to allocate IP 10.96.0.12: provided IP is already allocated");
        admin.delete(ADDRESSES + "/10.96.0.12").is(200);
        serve("s", "'clusterIP':'10.96.0.12',").is(201);
    }

    @Test
    void aFurtherRangeGivesAddressesWhileItIsReady() {
        serve("early", "'clusterIP':'10.111.0.5',").is(422);
        admin.create(RANGES, "{'metadata':{'name':'more'},'spec':{'cidrs':['10.111.0.0/24']}}");
        serve("early", "'clusterIP':'10.111.0.5',").is(422);
        admin.patch(RANGES + "/more/status", TestClient.MERGE_PATCH, READY.formatted("True"))
                .is(200);
        serve("s", "'clusterIP':'10.111.0.5',").is(201);
        serve("t", "'clusterIP':'10.111.0.5',").is(422);
        admin.patch(RANGES + "/more/status", TestClient.MERGE_PATCH, READY.formatted("False"))
                .is(200);
        assertThat(serve("t", "'clusterIP':'10.111.0.6',").is(422).message()).endsWith("is not in the valid range");
        admin.delete(services + "/s").is(200);
        admin.get(ADDRESSES + "/10.111.0.5").is(404);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.1 | {'parentRef':{'resource':'services','name':'s'}} | ''",
                "2001:db8::1 | {'parentRef':{'resource':'services','name':'s'}} | ''",
                "10.0.0.01 | {'parentRef':{'resource':'services','name':'s'}} | metadata.name: Invalid value",
                "2001:DB8::1 | {'parentRef':{'resource':'services','name':'s'}} | must be in canonical form (\"2001:db8::1\")",
                "some | {'parentRef':{'resource':'services','name':'s'}} | must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "10.0.0.2 | {} | spec.parentRef: Required value",
                "10.0.0.2 | {'parentRef':{'name':'s'}} | spec.parentRef.resource: Required value",
                "10.0.0.2 | {'parentRef':{'resource':'r'}} | spec.parentRef.name: Required value",
                "10.0.0.2 | {'parentRef':{'group':'A B','resource':'r','name':'s'}} | spec.parentRef.group: Invalid value"
            })
    void addressesAreChecked(String name, String spec, String complaint) {
        Reply reply = admin.post(ADDRESSES + "?dryRun=All", "{'metadata':{'name':'" + name + "'},'spec':" + spec + "}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(complaint.isEmpty() ? 201 : 422);
        assertThat(complaint.isEmpty() ? "" : reply.message()).contains(complaint);
    }

    @Test
    void whoHoldsAnAddressDoesNotChange() {
        admin.create(
                ADDRESSES, "{'metadata':{'name':'10.9.9.9'},'spec':{'parentRef':{'resource':'services','name':'s'}}}");
        assertThat(admin.patch(ADDRESSES + "/10.9.9.9", TestClient.MERGE_PATCH, "{'spec':{'parentRef':{'name':'t'}}}")
                        .is(422)
                        .message())
                .contains("spec.parentRef: Invalid value", "field is immutable");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "['10.0.0.0/24'] | ''",
                "['10.0.0.0/24','fd00::/112'] | ''",
                "[] | spec.cidrs: Required value: at least one CIDR required",
                "['10.0.0.0/24','fd00::/112','10.1.0.0/24'] | may only hold up to 2 values",
                "['10.0.0.0/24','10.1.0.0/24'] | may specify no more than one IP for each IP family",
                "['10.0.0.0'] | spec.cidrs[0]: Invalid value: \"10.0.0.0\": must be a valid CIDR value",
                "['10.0.0.0/33'] | must be a valid CIDR value",
                "['10.0.0.5/24'] | must be in canonical form (\"10.0.0.0/24\")",
                "['FD00::/112'] | must be in canonical form (\"fd00::/112\")"
            })
    void rangesAreChecked(String cidrs, String complaint) {
        Reply reply = admin.post(RANGES + "?dryRun=All", "{'metadata':{'name':'r'},'spec':{'cidrs':" + cidrs + "}}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(complaint.isEmpty() ? 201 : 422);
        assertThat(complaint.isEmpty() ? "" : reply.message()).contains(complaint);
    }

    @Test
    void aRangeMayOnlyGetASecondFamily() {
        admin.create(RANGES, "{'metadata':{'name':'grows'},'spec':{'cidrs':['10.112.0.0/24']}}");
        String path = RANGES + "/grows";
        assertThat(admin.patch(path, TestClient.MERGE_PATCH, "{'spec':{'cidrs':['10.113.0.0/24']}}")
                        .is(422)
                        .message())
                .contains("spec.cidrs[0]: Invalid value: \"10.113.0.0/24\": field is immutable");
        admin.patch(path, TestClient.MERGE_PATCH, "{'spec':{'cidrs':['10.112.0.0/24','fd00:1::/112']}}")
                .is(200);
        assertThat(admin.patch(path, TestClient.MERGE_PATCH, "{'spec':{'cidrs':['10.112.0.0/24']}}")
                        .is(422)
                        .message())
                .contains("spec.cidrs: Invalid value", "field is immutable");
    }
}
