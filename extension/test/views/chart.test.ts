import { describe, expect, it } from 'vitest';
import { pageStyle, parseChart, styled } from '../../src/charts/figure';

const STYLE = { text: 'black', page: 'white', font: 'sans-serif' };

describe('a chart', () => {
  it('is described by its output', () => {
    const chart = { title: 'n by day', text: 'A line, because day is a time.' };
    expect(parseChart({ version: 1, ...chart })).toEqual(chart);
  });

  it.each([null, 1, {}, { version: 2, title: 'n', text: '' }, { version: 1 }])(
    'is not drawn if it is %j',
    data => expect(parseChart(data)).toBeNull()
  );

  it('takes the colors of the page and keeps its own', () => {
    const trace = { type: 'bar', marker: { color: '#2f81c7' } };
    const figure = {
      data: [trace],
      layout: { title: { text: 'n' }, margin: { l: 60, t: 48 }, height: 360 },
      config: { responsive: true }
    };
    const copy = JSON.stringify(figure);
    const { data, layout, config } = styled(figure, STYLE);
    expect(data).toEqual([trace]);
    expect(config).toEqual(figure.config);
    expect(layout).toMatchObject({
      height: 360,
      title: { text: '' },
      margin: { l: 60, t: 12 },
      font: { color: 'black', family: 'sans-serif' },
      hoverlabel: { bgcolor: 'white', font: { color: 'black' } }
    });
    expect(JSON.stringify(figure)).toBe(copy);
  });

  it('may have no layout', () => {
    expect(styled({ data: [] }, STYLE)).toMatchObject({ data: [] });
  });

  it('reads the colors of the theme', () => {
    const page = document.createElement('div');
    document.body.append(page);
    page.style.setProperty('--jp-ui-font-color1', ' rgb(1, 2, 3) ');
    expect(pageStyle(page).text).toBe('rgb(1, 2, 3)');
  });
});
