/** Remembers which alarms were given since all was last well, so that each is given once and can come again. */

const MOST_GIVEN = 50;

export class Alarm {
	constructor(
		readonly episode = 1,
		readonly given: string[] = [],
	) {}

	static read(text: string | undefined): Alarm {
		if (text === undefined) return new Alarm();
		const [episode, given = ''] = text.split('~');
		return new Alarm(Number(episode), given.split(',').filter(Boolean).map(decodeURIComponent));
	}

	toString(): string {
		const given = this.given.map((one) => encodeURIComponent(one).replace(/~/g, '%7E')).join(',');
		return given ? `${this.episode}~${given}` : String(this.episode);
	}

	isNews(what: string): boolean {
		return !this.given.includes(what) && this.given.length < MOST_GIVEN;
	}

	give(what: string): Alarm {
		return new Alarm(this.episode, [...this.given, what]);
	}

	recover(): Alarm {
		return this.given.length ? new Alarm(this.episode + 1) : this;
	}
}
