SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public.balances (
    credential character varying(16) NOT NULL,
    balance numeric(20,2) NOT NULL,
    told_at timestamp with time zone NOT NULL
);
CREATE TABLE public.budgets (
    credential character varying(16) NOT NULL,
    per_day integer,
    per_flow integer,
    hold_back integer NOT NULL
);
CREATE TABLE public.credentials (
    id character varying(36) NOT NULL,
    fingerprint character varying(16) NOT NULL,
    base_url character varying(500) NOT NULL,
    quelle character varying(100) NOT NULL,
    wire text NOT NULL,
    sealed_key text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone
);
CREATE TABLE public.cursors (
    name character varying(300) NOT NULL,
    credential character varying(16) NOT NULL,
    trigger character varying(64) NOT NULL,
    inputs text NOT NULL,
    cursor text,
    fence integer NOT NULL,
    next_at timestamp with time zone,
    polled_at timestamp with time zone,
    sign text,
    trouble text
);
CREATE TABLE public.deliveries (
    id integer NOT NULL,
    subscription_id character varying(36) NOT NULL,
    item_id character varying(200) NOT NULL,
    body text NOT NULL,
    state character varying(16) NOT NULL,
    attempts integer NOT NULL,
    next_at timestamp with time zone,
    last_status integer,
    last_error text,
    made_at timestamp with time zone NOT NULL,
    done_at timestamp with time zone
);
CREATE SEQUENCE public.deliveries_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.deliveries_id_seq OWNED BY public.deliveries.id;
CREATE TABLE public.events (
    id integer NOT NULL,
    credential_id character varying(36) NOT NULL,
    event_id character varying(64) NOT NULL,
    event character varying(100) NOT NULL,
    body text NOT NULL,
    state character varying(16) NOT NULL,
    repeats integer NOT NULL,
    tries integer NOT NULL,
    next_at timestamp with time zone,
    arrived_at timestamp with time zone NOT NULL,
    decided_at timestamp with time zone
);
CREATE SEQUENCE public.events_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.events_id_seq OWNED BY public.events.id;
CREATE TABLE public.hooks (
    token_digest character varying(64) NOT NULL,
    credential_id character varying(36) NOT NULL,
    sealed_url text NOT NULL,
    former_url text,
    pass_on integer NOT NULL,
    state character varying(16) NOT NULL,
    checked_at timestamp with time zone,
    heard_at timestamp with time zone,
    trouble text
);
CREATE TABLE public.items (
    id integer NOT NULL,
    cursor_name character varying(300) NOT NULL,
    item_id character varying(200) NOT NULL,
    body text NOT NULL,
    made_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.items_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.items_id_seq OWNED BY public.items.id;
CREATE TABLE public.journal (
    id integer NOT NULL,
    credential character varying(16) NOT NULL,
    key character varying(200) NOT NULL,
    action character varying(64) NOT NULL,
    digest character varying(64) NOT NULL,
    inputs text NOT NULL,
    state character varying(16) NOT NULL,
    owner character varying(36) NOT NULL,
    outcome text,
    begun_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.journal_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.journal_id_seq OWNED BY public.journal.id;
CREATE TABLE public.leases (
    name character varying(300) NOT NULL,
    owner character varying(36) NOT NULL,
    fence integer NOT NULL,
    until timestamp with time zone NOT NULL
);
CREATE TABLE public.payment_states (
    credential_id character varying(36) NOT NULL,
    payment_id character varying(120) NOT NULL,
    status character varying(64) NOT NULL,
    changed_at timestamp with time zone NOT NULL
);
CREATE TABLE public.schema_version (
    version integer NOT NULL
);
CREATE TABLE public.subscriptions (
    id character varying(36) NOT NULL,
    credential_id character varying(36) NOT NULL,
    trigger character varying(64) NOT NULL,
    inputs text NOT NULL,
    cursor_name character varying(300),
    target_url text NOT NULL,
    sealed_secret text NOT NULL,
    state character varying(16) NOT NULL,
    why_ended character varying(40),
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone
);
CREATE TABLE public.usage (
    credential character varying(16) NOT NULL,
    day character varying(10) NOT NULL,
    flow character varying(100) NOT NULL,
    label character varying(64) NOT NULL,
    calls integer NOT NULL,
    credits numeric(12,2) NOT NULL
);
ALTER TABLE ONLY public.deliveries ALTER COLUMN id SET DEFAULT nextval('public.deliveries_id_seq'::regclass);
ALTER TABLE ONLY public.events ALTER COLUMN id SET DEFAULT nextval('public.events_id_seq'::regclass);
ALTER TABLE ONLY public.items ALTER COLUMN id SET DEFAULT nextval('public.items_id_seq'::regclass);
ALTER TABLE ONLY public.journal ALTER COLUMN id SET DEFAULT nextval('public.journal_id_seq'::regclass);
INSERT INTO public.balances VALUES ('0123456789abcdef', 985.50, '2026-03-02 09:30:15.25+00');
INSERT INTO public.budgets VALUES ('0123456789abcdef', 100, NULL, 10);
INSERT INTO public.credentials VALUES ('11111111-1111-4111-8111-111111111111', '0123456789abcdef', 'https://service.example', 'kontor', '{}', 'gAAAAABq-d0iAsuUc9rNOTIDsHpWKc0x6ehk-tPW85b-6pb47n691BpSTyRknO4v863PbtXWHo4K0_K_H6LlJF7mpx0Uxi3rmA==', '2026-03-02 09:30:15.25+00', NULL);
INSERT INTO public.cursors VALUES ('0123456789abcdef:invoices', '0123456789abcdef', 'new_invoice', '{"client": "1-1"}', 'i:42', 7, '2026-03-02 09:30:15.25+00', '2026-03-02 09:30:15.25+00', '{"count": 3}', NULL);
INSERT INTO public.cursors VALUES ('0123456789abcdef:never-polled', '0123456789abcdef', 'new_invoice', '{"client": "1-1"}', NULL, 7, '2026-03-02 09:30:15.25+00', NULL, '{"count": 3}', NULL);
INSERT INTO public.deliveries VALUES (1, '22222222-2222-4222-8222-222222222222', 'inv-0', '{"total": "12.50"}', 'done', 0, NULL, NULL, NULL, '2026-03-02 09:30:15.25+00', '2026-03-02 09:30:15.25+00');
INSERT INTO public.deliveries VALUES (2, '22222222-2222-4222-8222-222222222222', 'inv-1', '{"total": "12.50"}', 'waiting', 1, '2026-03-02 09:30:15.25+00', NULL, NULL, '2026-03-02 09:30:15.25+00', NULL);
INSERT INTO public.deliveries VALUES (3, '22222222-2222-4222-8222-222222222222', 'inv-2', '{"total": "12.50"}', 'dead', 2, NULL, NULL, NULL, '2026-03-02 09:30:15.25+00', NULL);
INSERT INTO public.deliveries VALUES (4, '22222222-2222-4222-8222-222222222222', 'inv-3', '{"total": "12.50"}', 'ended', 3, NULL, NULL, NULL, '2026-03-02 09:30:15.25+00', NULL);
INSERT INTO public.events VALUES (1, '11111111-1111-4111-8111-111111111111', 'event-0', 'payment.changed', '{"event": "payment.changed"}', 'new', 0, 0, '2026-03-02 09:30:15.25+00', '2026-03-02 09:30:15.25+00', NULL);
INSERT INTO public.events VALUES (2, '11111111-1111-4111-8111-111111111111', 'event-1', 'payment.changed', '{"event": "payment.changed"}', 'fired', 0, 1, NULL, '2026-03-02 09:30:15.25+00', '2026-03-02 09:30:15.25+00');
INSERT INTO public.events VALUES (3, '11111111-1111-4111-8111-111111111111', 'event-2', 'payment.changed', '{"event": "payment.changed"}', 'unconfirmed', 0, 2, NULL, '2026-03-02 09:30:15.25+00', '2026-03-02 09:30:15.25+00');
INSERT INTO public.events VALUES (4, '11111111-1111-4111-8111-111111111111', 'event-3', 'payment.changed', '{"event": "payment.changed"}', 'stale', 0, 3, NULL, '2026-03-02 09:30:15.25+00', '2026-03-02 09:30:15.25+00');
INSERT INTO public.events VALUES (5, '11111111-1111-4111-8111-111111111111', 'event-4', 'payment.changed', '{"event": "payment.changed"}', 'forged', 0, 4, NULL, '2026-03-02 09:30:15.25+00', '2026-03-02 09:30:15.25+00');
INSERT INTO public.events VALUES (6, '11111111-1111-4111-8111-111111111111', 'event-5', 'payment.changed', '{"event": "payment.changed"}', 'unknown', 0, 5, NULL, '2026-03-02 09:30:15.25+00', '2026-03-02 09:30:15.25+00');
INSERT INTO public.hooks VALUES ('abababababababababababababababababababababababababababababababab', '11111111-1111-4111-8111-111111111111', 'gAAAAABq-d0iOxO3p3rhJSDhPqtlqiJ39xYWt7DO7H9rPY6oRpSHVb5AL8siKavRyhv0_lsw_doMw8EKM1xDI0CY7NWJJ490utaplMf0MqqBM_DqaX_wfcsWpIZeKT0D9P436urnJCQ_', NULL, 0, 'active', '2026-03-02 09:30:15.25+00', NULL, NULL);
INSERT INTO public.items VALUES (1, '0123456789abcdef:invoices', 'inv-1', '{"total": "12.50"}', '2026-03-02 09:30:15.25+00');
INSERT INTO public.items VALUES (2, '0123456789abcdef:invoices', 'inv-2', '{"total": "12.50"}', '2026-03-02 09:30:15.25+00');
INSERT INTO public.journal VALUES (1, '0123456789abcdef', 'run-1', 'initiate_payment', 'c1b8a04cc1917a7fdf186bec734b7eb675bb3e318d67f151f6b03b17a3998665', '{"amount":"1.50","custom_fields":{"kontor_key":"run-1"}}', 'begun', 'host-1', NULL, '2026-03-02 09:31:15.25+00', '2026-03-02 09:31:16.25+00');
INSERT INTO public.journal VALUES (2, '0123456789abcdef', 'run-2', 'create_cash_book_entry', 'e5abbd386860e5b328d360f4ca7e25dff69fbd21e974d2103af4f6980074e7c7', '{"amount":"2.50","custom_fields":{"kontor_key":"run-2"}}', 'done', 'host-2', '{"output": {"id": "cb-2"}, "cost": "1"}', '2026-03-02 09:32:15.25+00', '2026-03-02 09:32:17.25+00');
INSERT INTO public.journal VALUES (3, '0123456789abcdef', 'run-3', 'initiate_payment', 'a5b77158f1bb86b95641ee7c348fc2223a51d10b380e9a4041f0e6e00213c904', '{"amount":"3.50","custom_fields":{"kontor_key":"run-3"}}', 'refused', 'host-3', '{"kind": "refused", "message": "no"}', '2026-03-02 09:33:15.25+00', '2026-03-02 09:33:18.25+00');
INSERT INTO public.journal VALUES (4, '0123456789abcdef', 'run-4', 'create_cash_book_entry', '1e21d427952e4a3dacb4aa64bf4f4636baa57197eb0c6420843a1dc0ce18af57', '{"amount":"4.50","custom_fields":{"kontor_key":"run-4"}}', 'doubtful', 'host-4', '{"kind": "outcome_unknown", "message": "nobody knows"}', '2026-03-02 09:34:15.25+00', '2026-03-02 09:34:19.25+00');
INSERT INTO public.journal VALUES (5, '0123456789abcdef', 'run-5', 'initiate_payment', '57c654a784a9e37c215f5b0d21319fd5a111c537d0f17db5bc3987355603b7a9', '{"amount":"5.50","custom_fields":{"kontor_key":"run-5"}}', 'settled', 'host-5', '{"output": null, "settled_by_hand": true, "happened": true, "note": "seen in the bank"}', '2026-03-02 09:35:15.25+00', '2026-03-02 09:35:20.25+00');
INSERT INTO public.journal VALUES (6, '0123456789abcdef', '~host-6', 'create_cash_book_entry', '4c97361daf850cdcee7bb3cd3380c5f2ac9fef826e17eee99e43bea2250f1a30', '{"amount":"6.50"}', 'done', 'host-6', '{"output": {"id": "cb-6"}, "cost": "1"}', '2026-03-02 09:36:15.25+00', '2026-03-02 09:36:21.25+00');
INSERT INTO public.leases VALUES ('cursor:0123456789abcdef:invoices', 'host-1', 7, '2026-03-02 09:30:15.25+00');
INSERT INTO public.payment_states VALUES ('11111111-1111-4111-8111-111111111111', 'p-1', 'pending', '2026-03-02 09:30:15.25+00');
INSERT INTO public.schema_version VALUES (2);
INSERT INTO public.subscriptions VALUES ('22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111', 'new_invoice', '{"client": "1-1"}', '0123456789abcdef:invoices', 'https://flow.example/hook', 'gAAAAABq-d0iT-JBKyX5CEMY5-45_TkPwySq1rIYxvvmHnDPxMWfj4Q1zg8o4bwlr5GVgvjrqmnD-jWmtCRFpUG8v0igfXEyjA==', 'active', NULL, '2026-03-02 09:30:15.25+00', NULL);
INSERT INTO public.usage VALUES ('0123456789abcdef', '2026-03-02', 'default', 'initiate_payment', 3, 4.50);
SELECT pg_catalog.setval('public.deliveries_id_seq', 4, true);
SELECT pg_catalog.setval('public.events_id_seq', 6, true);
SELECT pg_catalog.setval('public.items_id_seq', 2, true);
SELECT pg_catalog.setval('public.journal_id_seq', 6, true);
ALTER TABLE ONLY public.balances
    ADD CONSTRAINT balances_pkey PRIMARY KEY (credential);
ALTER TABLE ONLY public.budgets
    ADD CONSTRAINT budgets_pkey PRIMARY KEY (credential);
ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cursors
    ADD CONSTRAINT cursors_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_subscription_id_item_id_key UNIQUE (subscription_id, item_id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_credential_id_event_id_key UNIQUE (credential_id, event_id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.hooks
    ADD CONSTRAINT hooks_credential_id_key UNIQUE (credential_id);
ALTER TABLE ONLY public.hooks
    ADD CONSTRAINT hooks_pkey PRIMARY KEY (token_digest);
ALTER TABLE ONLY public.items
    ADD CONSTRAINT items_cursor_name_item_id_key UNIQUE (cursor_name, item_id);
ALTER TABLE ONLY public.items
    ADD CONSTRAINT items_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.journal
    ADD CONSTRAINT journal_credential_key_key UNIQUE (credential, key);
ALTER TABLE ONLY public.journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.payment_states
    ADD CONSTRAINT payment_states_pkey PRIMARY KEY (credential_id, payment_id);
ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.usage
    ADD CONSTRAINT usage_pkey PRIMARY KEY (credential, day, flow, label);
CREATE INDEX credentials_by_fingerprint ON public.credentials USING btree (fingerprint);
CREATE INDEX cursors_by_next ON public.cursors USING btree (next_at);
CREATE INDEX deliveries_by_due ON public.deliveries USING btree (state, next_at);
CREATE INDEX events_by_state ON public.events USING btree (state, next_at);
CREATE INDEX items_by_age ON public.items USING btree (made_at);
CREATE INDEX journal_by_state ON public.journal USING btree (state, credential);
CREATE INDEX subscriptions_by_credential ON public.subscriptions USING btree (credential_id, state);
CREATE INDEX subscriptions_by_cursor ON public.subscriptions USING btree (cursor_name, state);
