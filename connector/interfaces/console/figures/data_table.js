/* A table that draws only the rows in view. The host sorts, filters and adds up; rows come once, their order as numbers. */
const SPARE = 12;
const DRAWN_AT_ONCE = 120;

export default {
  template: `
    <div class="data-frame" ref="frame" tabindex="0" role="region" :aria-label="caption" @scroll.passive="look">
      <table class="data-table" role="table" :aria-label="caption" :aria-rowcount="lines.length + 1">
        <thead role="rowgroup"><tr role="row">
          <th v-for="(column, at) in columns" :key="at" role="columnheader" scope="col" :class="kind(column)"
              :style="column.width ? {width: column.width} : {}" :aria-sort="direction(at)">
            <button type="button" class="sort" @click="$emit('sort', at)">{{ column.label }}<span v-if="sorted.column === at"
              class="arrow" aria-hidden="true">{{ sorted.descending ? '▼' : '▲' }}</span></button>
          </th>
        </tr></thead>
        <tbody role="rowgroup">
          <tr v-if="above" role="presentation" class="spacer"><td role="presentation" :colspan="columns.length"
            :style="{height: above + 'px'}"></td></tr>
          <tr v-for="line in drawn" :key="line.key" role="row" :class="{group: !!line.group}" :aria-rowindex="line.place + 2">
            <td v-if="line.group" role="cell" class="group-name" :colspan="line.span">{{ line.group }}</td>
            <td v-for="[at, cell] in line.cells" :key="at" role="cell" :class="kind(columns[at])"
                :title="columns[at].width ? cell : null">
              <span class="label" aria-hidden="true">{{ columns[at].label }}</span>
              <a v-if="at === lead && line.link" :href="line.link" class="value">{{ cell }}</a>
              <span v-else class="value">{{ cell }}</span>
            </td>
          </tr>
          <tr v-if="below" role="presentation" class="spacer"><td role="presentation" :colspan="columns.length"
            :style="{height: below + 'px'}"></td></tr>
        </tbody>
        <tfoot v-if="totals.some(Boolean)" role="rowgroup"><tr role="row">
          <td v-for="(total, at) in totals" :key="at" role="cell" :class="kind(columns[at])">
            <span class="label" aria-hidden="true" v-if="total">{{ columns[at].label }}</span>
            <span class="value">{{ at === 0 && !total ? total_word : total }}</span>
          </td>
        </tr></tfoot>
      </table>
    </div>`,
  props: {
    columns: Array, rows: Array, links: Array, shown: Object, caption: String, total_word: String, lead: Number,
  },
  data() {
    return { lines: this.shown.lines, totals: this.shown.totals, sorted: this.shown.sorted, from: 0, to: DRAWN_AT_ONCE, height: 33 };
  },
  computed: {
    isVirtual() { return this.lines.length > DRAWN_AT_ONCE; },
    first() { return this.isVirtual ? Math.max(0, this.from - SPARE) : 0; },
    last() { return this.isVirtual ? Math.min(this.lines.length, this.to + SPARE) : this.lines.length; },
    above() { return this.first * this.height; },
    below() { return (this.lines.length - this.last) * this.height; },
    drawn() {
      return this.lines.slice(this.first, this.last).map((line, index) => {
        const place = this.first + index;
        if (typeof line === 'number') {
          return { key: line, place, cells: [...this.rows[line].entries()], link: this.links?.[line] };
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
    show(shown) {
      Object.assign(this, shown);
      this.$refs.frame.scrollTop = 0;
      this.look();
    },
    look() {
      const frame = this.$refs.frame;
      if (!frame || !this.isVirtual) return;
      const row = frame.querySelector('tbody tr[role=row]:not(.group)');
      if (row && row.offsetHeight) this.height = row.offsetHeight;
      const from = Math.floor(frame.scrollTop / this.height);
      this.from = from;
      this.to = from + Math.ceil(frame.clientHeight / this.height);
    },
  },
  mounted() {
    this.look();
    this.watching = new ResizeObserver(() => this.look());
    this.watching.observe(this.$refs.frame);
  },
  unmounted() { this.watching.disconnect(); },
};
