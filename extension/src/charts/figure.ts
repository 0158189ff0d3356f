import type { JSONObject } from '@lumino/coreutils';

/** The MIME type under which the library describes the plotly figure in the same output. */
export const CHART_MIME = 'application/vnd.paimon.chart+json';
export const PLOTLY_MIME = 'application/vnd.plotly.v1+json';
const VERSION = 1;

/** What a chart shows, and how it was chosen and reduced. */
export interface Chart {
  readonly title: string;
  readonly text: string;
}

/** The colors and the font of a page. */
export interface PageStyle {
  readonly text: string;
  readonly page: string;
  readonly font: string;
}

/** Return the chart described in an output, or null if this version cannot read it: notebooks are untrusted input. */
export function parseChart(data: unknown): Chart | null {
  const chart = data as Partial<Chart & { version: unknown }> | null;
  return chart?.version === VERSION &&
    typeof chart.title === 'string' &&
    typeof chart.text === 'string'
    ? { title: chart.title, text: chart.text }
    : null;
}

/** Return the colors and the font that the loaded theme gives a page. */
export function pageStyle(page: Element): PageStyle {
  const style = getComputedStyle(page);
  const variable = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: variable('--jp-ui-font-color1'),
    page: variable('--jp-layout-color1'),
    font: variable('--jp-ui-font-family')
  };
}

/**
 * Return a figure in the style of a page, without its title: the title is drawn outside the figure, where it can wrap.
 */
export function styled(figure: unknown, style: PageStyle): JSONObject {
  const { layout, ...others } = figure as { layout?: JSONObject };
  const font = { color: style.text, family: style.font, size: 12 };
  const margin = { ...(layout?.margin as JSONObject), t: 12 };
  const hoverlabel = {
    bgcolor: style.page,
    bordercolor: style.text,
    font,
    align: 'left'
  };
  const page = { font, margin, hoverlabel, title: { text: '' } };
  const modebar = {
    bgcolor: 'rgba(0,0,0,0)',
    color: style.text,
    activecolor: style.text
  };
  return { ...others, layout: { ...layout, ...page, modebar } } as JSONObject;
}
