/** Where this API server and others on the same store stand, as the cluster's pods see it: the endpoints of the Service {@code kubernetes}. */
package io.argosy.server.presence;
