import { describe, expect, it } from 'vitest';
import { type CallPlace, RecordPlaces } from '../../../../src/session/journal/record-places.ts';
import { aToolCall } from '../../../support/builders.ts';

const recordBytes = 20_000;

/** The places after updates of these calls, and of terminals, which begin with "t", in the order of the journal. */
function placesAfter(ids: readonly string[]): RecordPlaces {
  const places = new RecordPlaces();
  for (const [index, id] of ids.entries()) {
    const from = index * recordBytes;
    const event = id.startsWith('t')
      ? ({ kind: 'terminal', patch: { terminalId: id } } as const)
      : aToolCall({ toolCallId: id });
    places.note(event, { from, to: from + recordBytes });
  }
  return places;
}

const placeIn = (places: RecordPlaces, id: string, ...terminalIds: readonly string[]) =>
  places.of({ key: `0 ${id}`, toolCallId: id, terminalIds });

const recordsIn = (place: CallPlace | undefined) =>
  place?.parts.map(({ from, to }) => [from / recordBytes, to / recordBytes]);

describe('the places of the records of a call', () => {
  it('grow with its own records only, when many calls run in parallel', () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `call ${index}`);
    const places = placesAfter([...ids, ...ids]);
    const read = ids.map((id) => recordsIn(placeIn(places, id)));
    expect(read).toEqual(
      ids.map((_, index) => [
        [index, index + 1],
        [index + 1_000, index + 1_001],
      ]),
    );
  });

  it('are one part if little is between its records', () => {
    const places = new RecordPlaces();
    const update = aToolCall({ toolCallId: 'a' });
    places.note(update, { from: 0, to: 10 });
    places.note(update, { from: 1_000, to: 1_010 });
    expect(placeIn(places, 'a')).toEqual({ parts: [{ from: 0, to: 1_010 }], call: { from: 0, to: 1_010 } });
  });

  it('have those of its terminals in the order of the journal', () => {
    const place = placeIn(placesAfter(['t1', 'b', 'a', 't1', 'b', 't2', 'a', 'b', 't1']), 'a', 't1', 't2');
    expect(recordsIn(place)).toEqual([
      [0, 1],
      [2, 4],
      [5, 7],
      [8, 9],
    ]);
    expect(place?.call).toEqual({ from: 2 * recordBytes, to: 7 * recordBytes });
  });
});
