package io.argosy.server.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.registry.Strategy;
import io.argosy.server.warnings.ObjectWarnings;
import io.argosy.server.warnings.Remarks;
import java.util.List;
import java.util.function.Consumer;

/** Service accounts, whose secrets are beside them: only what those are called is kept. */
final class ServiceAccountStrategy implements Strategy {
    @Override
    public void prepareForCreate(ObjectNode account) {
        nameSecrets(account);
    }

    @Override
    public void prepareForUpdate(ObjectNode account, ObjectNode before, String subresource) {
        nameSecrets(account);
    }

    private static void nameSecrets(ObjectNode account) {
        for (ObjectNode secret : Trees.objects(account, "secrets")) {
            secret.retain(List.of("name"));
        }
    }

    @Override
    public void warn(ObjectNode account, ObjectNode before, String subresource, Consumer<String> warnings) {
        ObjectWarnings.serviceAccount(account, before, new Remarks(warnings));
    }
}
