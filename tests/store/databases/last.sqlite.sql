BEGIN TRANSACTION;
CREATE TABLE balances (
	credential VARCHAR(16) NOT NULL, 
	balance NUMERIC(20, 2) NOT NULL, 
	told_at DATETIME NOT NULL, 
	PRIMARY KEY (credential)
);
INSERT INTO "balances" VALUES('0123456789abcdef',985.5,'2026-03-02 09:30:15.250000');
CREATE TABLE budgets (
	credential VARCHAR(16) NOT NULL, 
	per_day INTEGER, 
	per_flow INTEGER, 
	hold_back INTEGER NOT NULL, 
	PRIMARY KEY (credential)
);
INSERT INTO "budgets" VALUES('0123456789abcdef',100,NULL,10);
CREATE TABLE credentials (
	id VARCHAR(36) NOT NULL, 
	fingerprint VARCHAR(16) NOT NULL, 
	base_url VARCHAR(500) NOT NULL, 
	quelle VARCHAR(100) NOT NULL, 
	wire TEXT NOT NULL, 
	sealed_key TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	revoked_at DATETIME, 
	PRIMARY KEY (id)
);
INSERT INTO "credentials" VALUES('11111111-1111-4111-8111-111111111111','0123456789abcdef','https://service.example','kontor','{}','gAAAAABq-d0k2FRJsxPYlcKBUNY9mSBgspBXN-8nDa3X0dlCRv8vEgn2kmcics5VD3IPjUT07dmox_S8yZEhIKsnqm0YNxZy9A==','2026-03-02 09:30:15.250000',NULL);
CREATE TABLE cursors (
	name VARCHAR(300) NOT NULL, 
	credential VARCHAR(16) NOT NULL, 
	"trigger" VARCHAR(64) NOT NULL, 
	inputs TEXT NOT NULL, 
	cursor TEXT, 
	start TEXT NOT NULL, 
	fence INTEGER NOT NULL, 
	next_at DATETIME, 
	polled_at DATETIME, 
	nudged_at DATETIME, 
	sign TEXT, 
	trouble TEXT, 
	PRIMARY KEY (name)
);
INSERT INTO "cursors" VALUES('0123456789abcdef:invoices','0123456789abcdef','new_invoice','{"client": "1-1"}','i:42','all',7,'2026-03-02 09:30:15.250000','2026-03-02 09:30:15.250000','2026-03-02 09:30:15.250000','{"count": 3}',NULL);
INSERT INTO "cursors" VALUES('0123456789abcdef:never-polled','0123456789abcdef','new_invoice','{"client": "1-1"}',NULL,'all',7,'2026-03-02 09:30:15.250000',NULL,'2026-03-02 09:30:15.250000','{"count": 3}',NULL);
CREATE TABLE deliveries (
	id INTEGER NOT NULL, 
	subscription_id VARCHAR(36) NOT NULL, 
	item_id VARCHAR(200) NOT NULL, 
	body TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	attempts INTEGER NOT NULL, 
	next_at DATETIME, 
	last_status INTEGER, 
	last_error TEXT, 
	made_at DATETIME NOT NULL, 
	done_at DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (subscription_id, item_id)
);
INSERT INTO "deliveries" VALUES(1,'22222222-2222-4222-8222-222222222222','inv-0','{"total": "12.50"}','done',0,NULL,NULL,NULL,'2026-03-02 09:30:15.250000','2026-03-02 09:30:15.250000');
INSERT INTO "deliveries" VALUES(2,'22222222-2222-4222-8222-222222222222','inv-1','{"total": "12.50"}','waiting',1,'2026-03-02 09:30:15.250000',NULL,NULL,'2026-03-02 09:30:15.250000',NULL);
INSERT INTO "deliveries" VALUES(3,'22222222-2222-4222-8222-222222222222','inv-2','{"total": "12.50"}','dead',2,NULL,NULL,NULL,'2026-03-02 09:30:15.250000',NULL);
INSERT INTO "deliveries" VALUES(4,'22222222-2222-4222-8222-222222222222','inv-3','{"total": "12.50"}','ended',3,NULL,NULL,NULL,'2026-03-02 09:30:15.250000',NULL);
CREATE TABLE events (
	id INTEGER NOT NULL, 
	credential_id VARCHAR(36) NOT NULL, 
	event_id VARCHAR(64) NOT NULL, 
	event VARCHAR(100) NOT NULL, 
	body TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	repeats INTEGER NOT NULL, 
	tries INTEGER NOT NULL, 
	next_at DATETIME, 
	arrived_at DATETIME NOT NULL, 
	decided_at DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (credential_id, event_id)
);
INSERT INTO "events" VALUES(1,'11111111-1111-4111-8111-111111111111','event-0','payment.changed','{"event": "payment.changed"}','new',0,0,'2026-03-02 09:30:15.250000','2026-03-02 09:30:15.250000',NULL);
INSERT INTO "events" VALUES(2,'11111111-1111-4111-8111-111111111111','event-1','payment.changed','{"event": "payment.changed"}','fired',0,1,NULL,'2026-03-02 09:30:15.250000','2026-03-02 09:30:15.250000');
INSERT INTO "events" VALUES(3,'11111111-1111-4111-8111-111111111111','event-2','payment.changed','{"event": "payment.changed"}','unconfirmed',0,2,NULL,'2026-03-02 09:30:15.250000','2026-03-02 09:30:15.250000');
INSERT INTO "events" VALUES(4,'11111111-1111-4111-8111-111111111111','event-3','payment.changed','{"event": "payment.changed"}','stale',0,3,NULL,'2026-03-02 09:30:15.250000','2026-03-02 09:30:15.250000');
INSERT INTO "events" VALUES(5,'11111111-1111-4111-8111-111111111111','event-4','payment.changed','{"event": "payment.changed"}','forged',0,4,NULL,'2026-03-02 09:30:15.250000','2026-03-02 09:30:15.250000');
INSERT INTO "events" VALUES(6,'11111111-1111-4111-8111-111111111111','event-5','payment.changed','{"event": "payment.changed"}','unknown',0,5,NULL,'2026-03-02 09:30:15.250000','2026-03-02 09:30:15.250000');
CREATE TABLE hooks (
	token_digest VARCHAR(64) NOT NULL, 
	credential_id VARCHAR(36) NOT NULL, 
	sealed_url TEXT NOT NULL, 
	former_url TEXT, 
	pass_on INTEGER NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	checked_at DATETIME, 
	heard_at DATETIME, 
	trouble TEXT, 
	PRIMARY KEY (token_digest), 
	UNIQUE (credential_id)
);
INSERT INTO "hooks" VALUES('abababababababababababababababababababababababababababababababab','11111111-1111-4111-8111-111111111111','gAAAAABq-d0kRiuWScErWSYuAxQrlbZd07DOR7NqCwizCWwr4qfHqpDlJ-f4m7sE8dw-W818D2g85QdhmbqNEadD1liTvJDa2qox4BiQkZOXaveJb803aTYfJytTf8aazwuAUW0Z7csP',NULL,0,'active','2026-03-02 09:30:15.250000',NULL,NULL);
CREATE TABLE items (
	id INTEGER NOT NULL, 
	cursor_name VARCHAR(300) NOT NULL, 
	item_id VARCHAR(200) NOT NULL, 
	body TEXT NOT NULL, 
	made_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (cursor_name, item_id)
);
INSERT INTO "items" VALUES(1,'0123456789abcdef:invoices','inv-1','{"total": "12.50"}','2026-03-02 09:30:15.250000');
INSERT INTO "items" VALUES(2,'0123456789abcdef:invoices','inv-2','{"total": "12.50"}','2026-03-02 09:30:15.250000');
CREATE TABLE journal (
	id INTEGER NOT NULL, 
	credential VARCHAR(16) NOT NULL, 
	"key" VARCHAR(200) NOT NULL, 
	action VARCHAR(64) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	inputs TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	owner VARCHAR(60) NOT NULL, 
	outcome TEXT, 
	begun_at FLOAT NOT NULL, 
	changed_at FLOAT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (credential, "key")
);
INSERT INTO "journal" VALUES(1,'0123456789abcdef','run-1','initiate_payment','c1b8a04cc1917a7fdf186bec734b7eb675bb3e318d67f151f6b03b17a3998665','{"amount":"1.50","custom_fields":{"kontor_key":"run-1"}}','begun','host-1',NULL,1772443875.25,1772443876.25);
INSERT INTO "journal" VALUES(2,'0123456789abcdef','run-2','create_cash_book_entry','e5abbd386860e5b328d360f4ca7e25dff69fbd21e974d2103af4f6980074e7c7','{"amount":"2.50","custom_fields":{"kontor_key":"run-2"}}','done','host-2','{"output": {"id": "cb-2"}, "cost": "1"}',1772443935.25,1772443937.25);
INSERT INTO "journal" VALUES(3,'0123456789abcdef','run-3','initiate_payment','a5b77158f1bb86b95641ee7c348fc2223a51d10b380e9a4041f0e6e00213c904','{"amount":"3.50","custom_fields":{"kontor_key":"run-3"}}','refused','host-3','{"kind": "refused", "message": "no"}',1772443995.25,1772443998.25);
INSERT INTO "journal" VALUES(4,'0123456789abcdef','run-4','create_cash_book_entry','1e21d427952e4a3dacb4aa64bf4f4636baa57197eb0c6420843a1dc0ce18af57','{"amount":"4.50","custom_fields":{"kontor_key":"run-4"}}','doubtful','host-4','{"kind": "outcome_unknown", "message": "nobody knows"}',1772444055.25,1772444059.25);
INSERT INTO "journal" VALUES(5,'0123456789abcdef','run-5','initiate_payment','57c654a784a9e37c215f5b0d21319fd5a111c537d0f17db5bc3987355603b7a9','{"amount":"5.50","custom_fields":{"kontor_key":"run-5"}}','settled','host-5','{"output": null, "settled_by_hand": true, "happened": true, "note": "seen in the bank"}',1772444115.25,1772444120.25);
INSERT INTO "journal" VALUES(6,'0123456789abcdef','~host-6','create_cash_book_entry','4c97361daf850cdcee7bb3cd3380c5f2ac9fef826e17eee99e43bea2250f1a30','{"amount":"6.50"}','done','host-6','{"output": {"id": "cb-6"}, "cost": "1"}',1772444175.25,1772444181.25);
CREATE TABLE leases (
	name VARCHAR(300) NOT NULL, 
	owner VARCHAR(36) NOT NULL, 
	fence INTEGER NOT NULL, 
	until DATETIME NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "leases" VALUES('cursor:0123456789abcdef:invoices','host-1',7,'2026-03-02 09:30:15.250000');
CREATE TABLE payment_states (
	credential_id VARCHAR(36) NOT NULL, 
	payment_id VARCHAR(120) NOT NULL, 
	status VARCHAR(64) NOT NULL, 
	changed_at DATETIME NOT NULL, 
	PRIMARY KEY (credential_id, payment_id)
);
INSERT INTO "payment_states" VALUES('11111111-1111-4111-8111-111111111111','p-1','pending','2026-03-02 09:30:15.250000');
CREATE TABLE schema_version (
	version INTEGER NOT NULL
);
INSERT INTO "schema_version" VALUES(2);
CREATE TABLE subscriptions (
	id VARCHAR(36) NOT NULL, 
	credential_id VARCHAR(36) NOT NULL, 
	"trigger" VARCHAR(64) NOT NULL, 
	inputs TEXT NOT NULL, 
	cursor_name VARCHAR(300), 
	target_url TEXT NOT NULL, 
	sealed_secret TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	why_ended VARCHAR(40), 
	created_at DATETIME NOT NULL, 
	ended_at DATETIME, 
	PRIMARY KEY (id)
);
INSERT INTO "subscriptions" VALUES('22222222-2222-4222-8222-222222222222','11111111-1111-4111-8111-111111111111','new_invoice','{"client": "1-1"}','0123456789abcdef:invoices','https://flow.example/hook','gAAAAABq-d0kgGzetXzmJUlSaLt_xmjXfvKFXvWGLoV2xY12FpOMYx5ZikSkQu_IKdJawM24qt8l_oPbDuRc8etEoSvnaeD2Rw==','active',NULL,'2026-03-02 09:30:15.250000',NULL);
CREATE TABLE usage (
	credential VARCHAR(16) NOT NULL, 
	day VARCHAR(10) NOT NULL, 
	flow VARCHAR(100) NOT NULL, 
	label VARCHAR(64) NOT NULL, 
	calls INTEGER NOT NULL, 
	credits NUMERIC(12, 2) NOT NULL, 
	PRIMARY KEY (credential, day, flow, label)
);
INSERT INTO "usage" VALUES('0123456789abcdef','2026-03-02','default','initiate_payment',3,4.5);
CREATE INDEX journal_by_state ON journal (state, credential);
CREATE INDEX credentials_by_fingerprint ON credentials (fingerprint);
CREATE INDEX cursors_by_next ON cursors (next_at);
CREATE INDEX items_by_age ON items (made_at);
CREATE INDEX subscriptions_by_cursor ON subscriptions (cursor_name, state);
CREATE INDEX subscriptions_by_credential ON subscriptions (credential_id, state);
CREATE INDEX deliveries_in_order ON deliveries (subscription_id, state, id);
CREATE INDEX deliveries_by_due ON deliveries (state, next_at);
CREATE INDEX events_by_state ON events (state, next_at);
COMMIT;
