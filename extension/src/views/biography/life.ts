import type {
  BiographyLane,
  BiographyValue,
  BiographyVersion
} from '../../contract';
import { html, type Markup } from '../markup';
import type { Texts } from '../texts';
import {
  beadName,
  firstStay,
  LANE,
  laneMiddle,
  lastStay,
  Places,
  STEP
} from './model';

const RADIUS = 13;
const AXIS = 40;
const LETTERS = 6;

/** The tab stop and the selected item of a picture. */
export interface Chosen {
  readonly stop: string;
  readonly selected: string | null;
}

/** Return the lanes of a row's life, with a bead for each version. */
export function lifePicture(
  value: BiographyValue,
  chosen: Chosen,
  texts: Texts
): Markup {
  const places = new Places(value);
  const height = value.lanes.length * LANE;
  const width = places.width;
  return html`<div class="pwv-life">
      <div class="pwv-life-names" aria-hidden="true">
        ${value.lanes.map(lane => laneName(lane, texts))}
      </div>
      <div class="pwv-scroll">
        <svg
          width="${width}"
          height="${height + AXIS}"
          viewBox="0 0 ${width} ${height + AXIS}"
        >
          ${value.lanes.map((_, lane) => laneLine(lane, width))}
          ${value.versions.map(version => stays(version, places))}
          ${value.versions.map(version => merges(version, value, places))}
          <g
            data-ring="life"
            role="group"
            aria-label="${texts.format('biographyLife')}"
          >
            ${value.versions.map(version => bead(version, value, places, chosen, texts))}
          </g>
          ${value.versions.map(version => cross(version, places))}
          <g
            data-ring="commits"
            role="group"
            aria-label="${texts.format('biographyCommits')}"
          >
            ${value.commits.map(({ id }, at) => commitMark(value, id, at, height, places, chosen, texts))}
          </g>
        </svg>
      </div>
    </div>
    <div class="pwv-legend">
      <span>${texts.format('biographyLegendKinds')}</span>
      <span>${texts.format('biographyLegendWrite')}</span>
      <span>${texts.format('biographyLegendCompaction')}</span>
      <span>${texts.format('biographyLegendFlow')}</span>
      <span>${texts.format('biographyLegendMark')}</span>
    </div>`;
}

function laneName(lane: BiographyLane, texts: Texts): Markup {
  const bucket = texts.format('bucketName', { id: String(lane.bucket) });
  const where = lane.partition ? `${lane.partition}, ${bucket}` : bucket;
  return html`<div title="${where}">
    <b>L${lane.level}</b><small>${where}</small>
  </div>`;
}

function laneLine(lane: number, width: number): Markup {
  const y = laneMiddle(lane);
  return html`<line
    class="pwv-lane-line"
    x1="0"
    x2="${width}"
    y1="${y}"
    y2="${y}"
  />`;
}

function stays(version: BiographyVersion, places: Places): Markup {
  return html`<g class="pwv-of-${version.source}">
    ${version.stays.map(stay => {
      const y = laneMiddle(stay.lane);
      return html`<line
        class="pwv-stay"
        x1="${places.start(stay.since)}"
        x2="${places.end(stay.until)}"
        y1="${y}"
        y2="${y}"
      />`;
    })}
    ${version.stays.slice(1).map((stay, at) => {
      const x = places.start(stay.since);
      const from = laneMiddle(version.stays[at].lane);
      return html`<line
        class="pwv-stay"
        x1="${x}"
        x2="${x}"
        y1="${from}"
        y2="${laneMiddle(stay.lane)}"
      />`;
    })}
  </g>`;
}

function merges(
  version: BiographyVersion,
  value: BiographyValue,
  places: Places
): Markup {
  const x = places.start(firstStay(version).since);
  const y = laneMiddle(firstStay(version).lane);
  const sources = [...version.inputs, ...version.looked_up];
  return html`${value.versions
    .filter(({ id }) => sources.includes(id))
    .map(source => {
      const from = laneMiddle(lastStay(source).lane);
      const left = x - STEP / 2;
      return html`<path
        class="pwv-merge"
        d="M${left} ${from} C${x} ${from} ${left} ${y} ${x} ${y}"
      />`;
    })}`;
}

function bead(
  version: BiographyVersion,
  value: BiographyValue,
  places: Places,
  chosen: Chosen,
  texts: Texts
): Markup {
  const { since, lane } = firstStay(version);
  const [x, y] = [places.start(since), laneMiddle(lane)];
  const name = `version:${version.id}`;
  const retracts = ['-U', '-D'].includes(version.kind);
  const shape =
    version.source === 'compaction'
      ? html`<rect
          x="${x - RADIUS}"
          y="${y - RADIUS}"
          width="${2 * RADIUS}"
          height="${2 * RADIUS}"
          rx="3"
        />`
      : html`<circle cx="${x}" cy="${y}" r="${RADIUS}" />`;
  return html`<g
    class="pwv-bead pwv-of-${version.source} ${retracts && 'pwv-delete'} ${version.state === 'gone' && 'pwv-gone'}"
    role="button"
    tabindex="${chosen.stop === name ? 0 : -1}"
    aria-pressed="${String(chosen.selected === name)}"
    aria-label="${beadName(version, value, texts)}"
    data-focus="${name}"
    data-version="${version.id}"
    >${shape}<text x="${x}" y="${y + 4}" text-anchor="middle"
      >${version.kind}</text
    ><text class="pwv-number" x="${x + RADIUS}" y="${y - RADIUS + 3}"
      >${version.id}</text
    ></g
  >`;
}

/** Return the mark of the deletion vector that hides a version. */
function cross(version: BiographyVersion, places: Places): Markup {
  if (version.marked === null) {
    return html``;
  }
  const x = places.start(version.marked);
  const y = laneMiddle(lastStay(version).lane);
  return html`<text
    class="pwv-cross"
    x="${x}"
    y="${y + 4}"
    text-anchor="middle"
    aria-hidden="true"
    >✕</text
  >`;
}

function commitMark(
  value: BiographyValue,
  id: string,
  at: number,
  top: number,
  places: Places,
  chosen: Chosen,
  texts: Texts
): Markup {
  const { kind, time_millis: time, text } = value.commits[at];
  const x = places.start(id);
  const name = `commit:${id}`;
  const isFirst = at === value.commits.length - 1;
  const isTabStop = chosen.stop.startsWith('commit:')
    ? chosen.stop === name
    : isFirst;
  const label = texts.format('biographyCommitName', {
    id,
    kind,
    time: texts.time(time),
    text
  });
  const shown = id.length > LETTERS ? `…${id.slice(1 - LETTERS)}` : id;
  return html`<g
    class="pwv-commit"
    role="button"
    tabindex="${isTabStop ? 0 : -1}"
    aria-pressed="${String(chosen.selected === name)}"
    aria-label="${label}"
    data-focus="${name}"
    data-commit="${id}"
    ><rect
      x="${x - STEP / 2 + 3}"
      y="${top + 2}"
      width="${STEP - 6}"
      height="${AXIS - 5}"
      rx="4"
    /><text x="${x}" y="${top + 17}" text-anchor="middle">${shown}</text
    ><text x="${x}" y="${top + 31}" text-anchor="middle">${kind[0]}</text></g
  >`;
}
