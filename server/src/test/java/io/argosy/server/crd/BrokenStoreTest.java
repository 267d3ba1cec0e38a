package io.argosy.server.crd;

import static io.argosy.server.crd.DefinedResources.DEFINITIONS;
import static io.argosy.server.crd.DefinedResources.await;
import static io.argosy.server.crd.DefinedResources.awaitGone;
import static io.argosy.server.crd.DefinedResources.conditionOf;
import static io.argosy.server.crd.DefinedResources.definition;
import static io.argosy.server.crd.DefinedResources.establish;
import static io.argosy.server.crd.DefinedResources.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import io.argosy.store.Store;
import io.argosy.store.sqlite.SqliteStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The end of a definition whose objects cannot be deleted for a while. */
@Timeout(120)
class BrokenStoreTest {
    private static final CountDownLatch TRIED = new CountDownLatch(1);
    private static final CountDownLatch ANSWERED = new CountDownLatch(1);
    private static volatile boolean broken = true;

    @RegisterExtension
    static final TestServer SERVER = new TestServer(folder -> breaking(SqliteStore.open(folder)));

    /** Deleting objects of one resource takes until the test says so, and fails until it says otherwise. */
    private static Store breaking(Store store) {
        return (Store) Proxy.newProxyInstance(
                Store.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, arguments) -> {
                    boolean stubborn = method.getName().startsWith("delete")
                            && arguments[0].toString().contains("/stubborns/");
                    if (stubborn && broken) {
                        TRIED.countDown();
                        ANSWERED.await();
                        throw new IllegalStateException("the disk is full");
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    @Test
    void objectsThatCannotBeDeletedAreSaidToBeSoAndTriedAgainAndOtherDefinitionsGoOn() throws Exception {
        TestClient admin = SERVER.admin();
        String namespace = SERVER.namespace();
        establish(admin, definition("stubborns", "Stubborn", spec("{}"), ""));
        admin.create("/apis/example.com/v1/namespaces/" + namespace + "/stubborns", "{'metadata':{'name':'one'}}");
        admin.delete(DEFINITIONS + "/stubborns.example.com").is(200);
        TRIED.await();
        establish(admin, definition("others", "Other", spec("{}"), "")); // though the deletion goes on
        ANSWERED.countDown();
        Reply failed = await(
                admin,
                "stubborns.example.com",
                body -> conditionOf(body, "Terminating").path("reason").asText().equals("InstanceDeletionFailed"));
        assertThat(conditionOf(failed.body(), "Terminating").path("message").asText())
                .startsWith("could not issue all deletes: ")
                .contains("the disk is full");
        broken = false;
        awaitGone(admin, "stubborns.example.com");
    }
}
