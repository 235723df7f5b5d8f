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
CREATE TABLE journal (
	id INTEGER NOT NULL, 
	credential VARCHAR(16) NOT NULL, 
	"key" VARCHAR(200) NOT NULL, 
	action VARCHAR(64) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	inputs TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	owner VARCHAR(36) NOT NULL, 
	outcome TEXT, 
	begun_at DATETIME NOT NULL, 
	changed_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (credential, "key")
);
INSERT INTO "journal" VALUES(1,'0123456789abcdef','run-1','initiate_payment','c1b8a04cc1917a7fdf186bec734b7eb675bb3e318d67f151f6b03b17a3998665','{"amount":"1.50","custom_fields":{"kontor_key":"run-1"}}','begun','host-1',NULL,'2026-03-02 09:31:15.250000','2026-03-02 09:31:16.250000');
INSERT INTO "journal" VALUES(2,'0123456789abcdef','run-2','create_cash_book_entry','e5abbd386860e5b328d360f4ca7e25dff69fbd21e974d2103af4f6980074e7c7','{"amount":"2.50","custom_fields":{"kontor_key":"run-2"}}','done','host-2','{"output": {"id": "cb-2"}, "cost": "1"}','2026-03-02 09:32:15.250000','2026-03-02 09:32:17.250000');
INSERT INTO "journal" VALUES(3,'0123456789abcdef','run-3','initiate_payment','a5b77158f1bb86b95641ee7c348fc2223a51d10b380e9a4041f0e6e00213c904','{"amount":"3.50","custom_fields":{"kontor_key":"run-3"}}','refused','host-3','{"kind": "refused", "message": "no"}','2026-03-02 09:33:15.250000','2026-03-02 09:33:18.250000');
INSERT INTO "journal" VALUES(4,'0123456789abcdef','run-4','create_cash_book_entry','1e21d427952e4a3dacb4aa64bf4f4636baa57197eb0c6420843a1dc0ce18af57','{"amount":"4.50","custom_fields":{"kontor_key":"run-4"}}','doubtful','host-4','{"kind": "outcome_unknown", "message": "nobody knows"}','2026-03-02 09:34:15.250000','2026-03-02 09:34:19.250000');
INSERT INTO "journal" VALUES(5,'0123456789abcdef','run-5','initiate_payment','57c654a784a9e37c215f5b0d21319fd5a111c537d0f17db5bc3987355603b7a9','{"amount":"5.50","custom_fields":{"kontor_key":"run-5"}}','settled','host-5','{"output": null, "settled_by_hand": true, "happened": true, "note": "seen in the bank"}','2026-03-02 09:35:15.250000','2026-03-02 09:35:20.250000');
INSERT INTO "journal" VALUES(6,'0123456789abcdef','~host-6','create_cash_book_entry','4c97361daf850cdcee7bb3cd3380c5f2ac9fef826e17eee99e43bea2250f1a30','{"amount":"6.50"}','done','host-6','{"output": {"id": "cb-6"}, "cost": "1"}','2026-03-02 09:36:15.250000','2026-03-02 09:36:21.250000');
CREATE TABLE schema_version (
	version INTEGER NOT NULL
);
INSERT INTO "schema_version" VALUES(1);
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
COMMIT;
