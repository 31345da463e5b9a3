// Names of price grids in configs. Data only. Must never name a grid that the wire has no name for.

/** Price grids by their names on the wire. */
export const GRID_NAMES = [
  'linear_cent',
  'deci_cent',
  'tapered_deci_cent',
  'center_whole_edge_half_cent',
  'center_whole_edge_quint_cent',
  'center_whole_edge_deci_cent',
  'center_half_edge_half_cent',
  'center_half_edge_quint_cent',
  'center_half_edge_deci_cent',
  'center_quint_edge_half_cent',
  'center_quint_edge_quint_cent',
  'center_quint_edge_deci_cent',
  'center_deci_edge_half_cent',
  'center_deci_edge_quint_cent',
  'center_deci_edge_deci_cent',
  'center_deci_edge_centi_cent',
] as const;
export type GridName = (typeof GRID_NAMES)[number];
