/* A table that scrolls with its page and draws only the rows in view. The host sorts, filters and adds up; rows come once,
   their order as numbers. Where the columns do not fit, each row is a card. */
const SPARE = 12;
const DRAWN_AT_ONCE = 120;
const NARROW = 560;

export default {
  template: `
    <div class="data-frame" ref="frame" :class="{cards: as_cards}">
      <table class="data-table" ref="table" role="table" :aria-label="caption" :aria-rowcount="lines.length + 1">
        <thead role="rowgroup"><tr role="row">
          <th v-for="(column, at) in columns" :key="at" role="columnheader" scope="col" :class="kind(column)"
              :style="column.width ? {width: column.width} : {}" :aria-sort="direction(at)">
            <button type="button" class="sort" @click="$emit('sort', at)">{{ column.label }}<span v-if="sorted.column === at"
              class="arrow" aria-hidden="true">{{ sorted.descending ? '▼' : '▲' }}</span></button>
          </th>
          <th role="columnheader" scope="col" class="opener"><span class="unseen">{{ words.details }}</span></th>
        </tr></thead>
        <tbody role="rowgroup" ref="body">
          <tr v-if="above" role="presentation" class="spacer"><td role="presentation" :colspan="columns.length + 1"
            :style="{height: above + 'px'}"></td></tr>
          <tr v-for="line in drawn" :key="line.key" role="row" :class="{group: !!line.group}" :aria-rowindex="line.place + 2"
              @click="press($event, line)">
            <td v-if="line.group" role="cell" class="group-name" :colspan="line.span">{{ line.group }}</td>
            <td v-for="[at, cell] in line.cells" :key="at" role="cell" :class="kind(columns[at])"
                :title="columns[at].width ? cell : null">
              <span class="label" aria-hidden="true">{{ columns[at].label }}</span>
              <a v-if="line.links?.[at]" :href="line.links[at]" class="value">{{ cell }}</a>
              <span v-else class="value">{{ cell }}</span>
              <span v-if="columns[at].main && currency && !line.group" class="unit" aria-hidden="true">{{ currency }}</span>
            </td>
            <td role="cell" class="opener"><button v-if="!line.group" type="button" class="open"
              :aria-label="words.details + ': ' + rows[line.key][lead]" @click.stop="$emit('open', line.key)"
              ><span aria-hidden="true">⋯</span></button></td>
          </tr>
          <tr v-if="below" role="presentation" class="spacer"><td role="presentation" :colspan="columns.length + 1"
            :style="{height: below + 'px'}"></td></tr>
        </tbody>
        <tfoot v-if="totals.some(Boolean)" role="rowgroup"><tr role="row">
          <td v-for="(total, at) in totals" :key="at" role="cell" :class="kind(columns[at])">
            <span class="label" aria-hidden="true" v-if="total">{{ columns[at].label }}</span>
            <span class="value">{{ at === 0 && !total ? words.total : total }}</span>
          </td>
          <td role="cell" class="opener"></td>
        </tr></tfoot>
      </table>
    </div>`,
  props: {
    columns: Array, rows: Array, links: Array, shown: Object, caption: String, words: Object, lead: Number, currency: String,
  },
  data() {
    const { lines, totals, sorted } = this.shown;
    return { lines, totals, sorted, from: 0, to: DRAWN_AT_ONCE, height: 33, as_cards: false, needed: NARROW };
  },
  computed: {
    isVirtual() { return this.lines.length > DRAWN_AT_ONCE; },
    first() { return this.isVirtual ? Math.max(0, Math.min(this.from, this.lines.length) - SPARE) : 0; },
    last() { return this.isVirtual ? Math.min(this.lines.length, this.to + SPARE) : this.lines.length; },
    above() { return this.first * this.height; },
    below() { return (this.lines.length - this.last) * this.height; },
    drawn() {
      return this.lines.slice(this.first, this.last).map((line, index) => {
        const place = this.first + index;
        if (typeof line === 'number') {
          return { key: line, place, cells: [...this.rows[line].entries()], links: this.links?.[line] };
        }
        const filled = line.totals.findIndex(Boolean);
        const span = filled < 1 ? line.totals.length : filled;
        return { key: 'g' + line.group, place, group: line.group, span, cells: [...line.totals.entries()].slice(span) };
      });
    },
  },
  methods: {
    kind(column) { return { number: column.number, main: column.main, lead: column.lead, flexible: !!column.width }; },
    direction(at) {
      return this.sorted.column !== at ? undefined : this.sorted.descending ? 'descending' : 'ascending';
    },
    press(event, line) {
      if (line.group || event.target.closest('a, button') || String(getSelection())) return;
      this.$emit('open', line.key);
    },
    show(shown) {
      Object.assign(this, shown);
      const top = this.$refs.frame.getBoundingClientRect().top;
      if (top < 0) window.scrollBy(0, top);
      this.look();
    },
    look() {
      if (!this.$refs.body || !this.isVirtual) return;
      const row = this.$refs.body.querySelector('tr[role=row]:not(.group)');
      if (row && row.offsetHeight) this.height = row.offsetHeight;
      const hidden = Math.max(0, -this.$refs.body.getBoundingClientRect().top);
      this.from = Math.floor(hidden / this.height);
      this.to = this.from + Math.ceil(window.innerHeight / this.height);
    },
    fit() {
      const width = this.$refs.frame?.clientWidth;
      if (!width) return;
      if (!this.as_cards && this.$refs.table.scrollWidth > width + 1) this.needed = this.$refs.table.scrollWidth;
      this.as_cards = width < this.needed;
      this.$nextTick(this.look);
    },
  },
  mounted() {
    this.fit();
    this.watching = new ResizeObserver(() => this.fit());
    this.watching.observe(this.$refs.frame);
    window.addEventListener('scroll', this.look, { passive: true });
  },
  unmounted() {
    this.watching.disconnect();
    window.removeEventListener('scroll', this.look);
  },
};
