/* Forms with data-passkey: "get" asks a passkey that exists, "create" makes one. The answer goes into the field `credential`.

   What is asked stands as JSON in the form, or comes from the address in data-passkey-options. Forms for which a browser
   without passkeys has no use are hidden until this script shows them. */
"use strict";

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));

const textOf = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

const named = (list) => (list || []).map((one) => ({ ...one, id: bytesOf(one.id) }));

async function asked(form) {
  if (!form.dataset.passkeyOptions) return JSON.parse(form.querySelector("script").textContent).publicKey;
  const answer = await fetch(form.dataset.passkeyOptions, { headers: { Accept: "application/json" } });
  return (await answer.json()).request_options.publicKey;
}

async function answerOf(kind, options) {
  const publicKey = { ...options, challenge: bytesOf(options.challenge) };
  if (kind === "create") {
    publicKey.user = { ...options.user, id: bytesOf(options.user.id) };
    publicKey.excludeCredentials = named(options.excludeCredentials);
    return navigator.credentials.create({ publicKey });
  }
  publicKey.allowCredentials = named(options.allowCredentials);
  return navigator.credentials.get({ publicKey });
}

function written(credential) {
  const given = credential.response;
  const response = { clientDataJSON: textOf(given.clientDataJSON) };
  for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (given[name]) response[name] = textOf(given[name]);
  }
  return JSON.stringify({
    id: credential.id,
    rawId: textOf(credential.rawId),
    type: credential.type,
    response,
    clientExtensionResults: credential.getClientExtensionResults(),
  });
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const said = form.querySelector("[role=alert][hidden]");
  if (!window.PublicKeyCredential) {
    if (!form.hidden) {
      said.textContent = "This browser, or this address, has no passkeys: they need a name and HTTPS.";
      said.hidden = false;
    }
    continue;
  }
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    said.hidden = true;
    try {
      form.elements.namedItem("credential").value = written(await answerOf(form.dataset.passkey, await asked(form)));
      form.submit();
    } catch (error) {
      said.textContent = "No passkey answered. Try again, or use another way.";
      said.hidden = false;
    }
  });
}
