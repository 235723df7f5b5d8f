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
CREATE TABLE public.schema_version (
    version integer NOT NULL
);
CREATE TABLE public.usage (
    credential character varying(16) NOT NULL,
    day character varying(10) NOT NULL,
    flow character varying(100) NOT NULL,
    label character varying(64) NOT NULL,
    calls integer NOT NULL,
    credits numeric(12,2) NOT NULL
);
ALTER TABLE ONLY public.journal ALTER COLUMN id SET DEFAULT nextval('public.journal_id_seq'::regclass);
INSERT INTO public.balances VALUES ('0123456789abcdef', 985.50, '2026-03-02 09:30:15.25+00');
INSERT INTO public.budgets VALUES ('0123456789abcdef', 100, NULL, 10);
INSERT INTO public.journal VALUES (1, '0123456789abcdef', 'run-1', 'initiate_payment', 'c1b8a04cc1917a7fdf186bec734b7eb675bb3e318d67f151f6b03b17a3998665', '{"amount":"1.50","custom_fields":{"kontor_key":"run-1"}}', 'begun', 'host-1', NULL, '2026-03-02 09:31:15.25+00', '2026-03-02 09:31:16.25+00');
INSERT INTO public.journal VALUES (2, '0123456789abcdef', 'run-2', 'create_cash_book_entry', 'e5abbd386860e5b328d360f4ca7e25dff69fbd21e974d2103af4f6980074e7c7', '{"amount":"2.50","custom_fields":{"kontor_key":"run-2"}}', 'done', 'host-2', '{"output": {"id": "cb-2"}, "cost": "1"}', '2026-03-02 09:32:15.25+00', '2026-03-02 09:32:17.25+00');
INSERT INTO public.journal VALUES (3, '0123456789abcdef', 'run-3', 'initiate_payment', 'a5b77158f1bb86b95641ee7c348fc2223a51d10b380e9a4041f0e6e00213c904', '{"amount":"3.50","custom_fields":{"kontor_key":"run-3"}}', 'refused', 'host-3', '{"kind": "refused", "message": "no"}', '2026-03-02 09:33:15.25+00', '2026-03-02 09:33:18.25+00');
INSERT INTO public.journal VALUES (4, '0123456789abcdef', 'run-4', 'create_cash_book_entry', '1e21d427952e4a3dacb4aa64bf4f4636baa57197eb0c6420843a1dc0ce18af57', '{"amount":"4.50","custom_fields":{"kontor_key":"run-4"}}', 'doubtful', 'host-4', '{"kind": "outcome_unknown", "message": "nobody knows"}', '2026-03-02 09:34:15.25+00', '2026-03-02 09:34:19.25+00');
INSERT INTO public.journal VALUES (5, '0123456789abcdef', 'run-5', 'initiate_payment', '57c654a784a9e37c215f5b0d21319fd5a111c537d0f17db5bc3987355603b7a9', '{"amount":"5.50","custom_fields":{"kontor_key":"run-5"}}', 'settled', 'host-5', '{"output": null, "settled_by_hand": true, "happened": true, "note": "seen in the bank"}', '2026-03-02 09:35:15.25+00', '2026-03-02 09:35:20.25+00');
INSERT INTO public.journal VALUES (6, '0123456789abcdef', '~host-6', 'create_cash_book_entry', '4c97361daf850cdcee7bb3cd3380c5f2ac9fef826e17eee99e43bea2250f1a30', '{"amount":"6.50"}', 'done', 'host-6', '{"output": {"id": "cb-6"}, "cost": "1"}', '2026-03-02 09:36:15.25+00', '2026-03-02 09:36:21.25+00');
INSERT INTO public.schema_version VALUES (1);
INSERT INTO public.usage VALUES ('0123456789abcdef', '2026-03-02', 'default', 'initiate_payment', 3, 4.50);
SELECT pg_catalog.setval('public.journal_id_seq', 6, true);
ALTER TABLE ONLY public.balances
    ADD CONSTRAINT balances_pkey PRIMARY KEY (credential);
ALTER TABLE ONLY public.budgets
    ADD CONSTRAINT budgets_pkey PRIMARY KEY (credential);
ALTER TABLE ONLY public.journal
    ADD CONSTRAINT journal_credential_key_key UNIQUE (credential, key);
ALTER TABLE ONLY public.journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.usage
    ADD CONSTRAINT usage_pkey PRIMARY KEY (credential, day, flow, label);
CREATE INDEX journal_by_state ON public.journal USING btree (state, credential);
