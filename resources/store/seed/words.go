package seed

import "trestle.example/resources/store/delivery"

// The texts of the demo data. The brands are invented; the places before a name are
// regions and rivers.

// A demoCategory is a category with its goods. If the first brand is blank, the goods are
// sold loose: the first product of a kind has no brand, and none has a list price.
type demoCategory struct {
	code   string // of its skus
	slug   string
	name   string
	brands []string
	goods  []demoGood
}

// A demoGood is a product in its sizes, and the price of the first.
type demoGood struct {
	name  string
	about string
	sizes string // "500 g, 1 kg"
	paise int64
}

func (s *demoCategory) loose() bool { return s.brands[0] == "" }

// Products of one good and brand differ by these words.
var (
	grades = []string{
		"", "Classic", "Premium", "Select", "Everyday", "Family", "Value", "Signature", "Heritage", "Festival", "Royal", "Choice",
	}
	places = []string{
		"", "Malwa", "Nilgiri", "Konkan", "Malabar", "Deccan", "Awadh", "Mewar", "Kutch", "Saurashtra", "Vidarbha", "Kaveri",
		"Godavari", "Narmada", "Doab", "Terai", "Kumaon", "Garhwal", "Coorg", "Wayanad", "Bundelkhand", "Mithila", "Sundarban", "Marwar",
	}
)

var demoCategories = []demoCategory{
	{"FRV", "fruit-vegetables", "Fruit & Vegetables", []string{"", "Baganvela", "Haripatti", "Phalodyan", "Mitticharan", "Osbindu"}, []demoGood{
		{"Onion", "Firm red onions (pyaaz) of the winter crop.", "500 g, 1 kg, 2 kg", 18_00},
		{"Potato", "Washed potatoes (aloo) for curries and parathas.", "500 g, 1 kg, 2 kg, 5 kg", 16_00},
		{"Tomato", "Ripe tomatoes (tamatar), sorted by hand.", "500 g, 1 kg", 21_00},
		{"Coriander Leaves", "Fresh hara dhaniya, roots cut.", "1 bunch", 12_00},
		{"Spinach", "Tender palak leaves, washed once.", "1 bunch, 2 bunches", 22_00},
		{"Robusta Banana", "Yellow bananas (kela), three days from ripe.", "6 pieces, 1 dozen", 32_00},
		{"Alphonso Mango", "Hapus mangoes, ripened in hay.", "2 pieces, 6 pieces, 1 dozen", 180_00},
		{"Green Chilli", "Hot green chillies (hari mirch).", "100 g, 250 g", 9_00},
		{"Ginger", "Fresh ginger (adrak) with a thin skin.", "100 g, 250 g", 14_00},
		{"Okra", "Young bhindi that snaps.", "250 g, 500 g", 17_00},
		{"Lemon", "Thin-skinned lemons (nimbu) full of juice.", "4 pieces, 1 dozen", 20_00},
		{"Pomegranate", "Deep red anar with soft seeds.", "500 g, 1 kg", 96_00},
	}},
	{"DAI", "dairy", "Dairy & Eggs", []string{"Shyamvihar", "Gomanjari", "Dhenuvan", "Nandpath", "Shwetangan"}, []demoGood{
		{"Toned Milk", "Pasteurised toned milk; keep it cold.", "500 ml, 1 l", 27_00},
		{"Full Cream Milk", "Rich milk for tea, kheer and curd.", "500 ml, 1 l", 34_00},
		{"Curd (Dahi)", "Thick set curd from whole milk.", "200 g, 400 g, 1 kg", 22_00},
		{"Paneer", "Soft paneer in blocks, made the same day.", "200 g, 500 g", 88_00},
		{"Salted Butter", "Table butter with a little salt.", "100 g, 500 g", 58_00},
		{"Cheese Slices", "Processed cheese slices for toast.", "5 pieces, 10 pieces", 75_00},
		{"Spiced Buttermilk (Chaas)", "Thin chaas with cumin and curry leaf.", "200 ml, 500 ml", 12_00},
		{"Sweet Lassi", "Churned sweet lassi, ready to drink.", "200 ml, 1 l", 25_00},
		{"Fresh Cream", "Cream for gravies and desserts.", "200 ml, 1 l", 68_00},
		{"Kesar Shrikhand", "Strained curd with saffron and sugar.", "250 g, 500 g", 95_00},
		{"Khoya (Mawa)", "Reduced milk for barfi and gulab jamun.", "200 g, 500 g", 110_00},
		{"Farm Eggs", "White eggs, packed on the day they are laid.", "6 pieces, 1 dozen, 30 pieces", 48_00},
	}},
	{"STA", "staples", "Flour, Rice & Pulses", []string{"Balimala", "Annavriksh", "Dhaanangan", "Chakkipath", "Kansona"}, []demoGood{
		{"Whole Wheat Atta", "Stone-ground from hard wheat, for soft rotis.", "1 kg, 5 kg, 10 kg", 58_00},
		{"Multigrain Atta", "Wheat with six other grains and seeds.", "1 kg, 5 kg", 82_00},
		{"Basmati Rice", "Aged long-grain basmati for biryani and pulao.", "1 kg, 5 kg, 10 kg", 135_00},
		{"Sona Masoori Rice", "Light rice for every day.", "1 kg, 5 kg, 10 kg, 25 kg", 68_00},
		{"Toor Dal", "Unpolished arhar dal that cooks soft.", "500 g, 1 kg, 2 kg", 92_00},
		{"Moong Dal", "Split yellow moong, light on the stomach.", "500 g, 1 kg", 74_00},
		{"Chana Dal", "Split Bengal gram with a nutty taste.", "500 g, 1 kg", 58_00},
		{"Urad Dal", "Split white urad for idli and dosa batter.", "500 g, 1 kg", 84_00},
		{"Rajma", "Red kidney beans from the hills.", "500 g, 1 kg", 88_00},
		{"Kabuli Chana", "Large white chickpeas for chole.", "500 g, 1 kg", 79_00},
		{"Thick Poha", "Flattened rice for breakfast.", "500 g, 1 kg", 38_00},
		{"Sooji (Rava)", "Semolina for upma and halwa.", "500 g, 1 kg", 30_00},
	}},
	{"OIL", "oils-ghee", "Oils & Ghee", []string{"Phoolmanjari", "Ghanidwar", "Peelavan", "Swarndhara", "Telpushp"}, []demoGood{
		{"Kachi Ghani Mustard Oil", "Cold-pressed mustard oil with its sharp smell.", "500 ml, 1 l, 5 l", 98_00},
		{"Groundnut Oil", "Filtered groundnut oil for frying.", "1 l, 5 l", 185_00},
		{"Sunflower Oil", "Light refined sunflower oil.", "1 l, 5 l", 139_00},
		{"Rice Bran Oil", "Refined oil of rice bran.", "1 l, 5 l", 148_00},
		{"Sesame Oil", "Gingelly oil, wood-pressed with jaggery.", "200 ml, 500 ml, 1 l", 96_00},
		{"Coconut Oil", "Edible oil of dried coconut.", "200 ml, 500 ml, 1 l", 68_00},
		{"Cow Ghee", "Ghee of cow's milk, slowly simmered.", "200 ml, 500 ml, 1 l", 165_00},
		{"Buffalo Ghee", "White, grainy ghee of buffalo's milk.", "500 ml, 1 l", 320_00},
		{"Olive Oil", "Extra virgin oil for salads.", "250 ml, 500 ml", 345_00},
		{"Soybean Oil", "Refined soybean oil for every day.", "1 l, 5 l", 124_00},
		{"Vanaspati", "Hydrogenated vegetable fat for sweets.", "500 g, 1 kg", 72_00},
		{"Safflower Oil", "Kardi oil, cold-pressed.", "500 ml, 1 l", 149_00},
	}},
	{"SPI", "spices-masala", "Spices & Masala", []string{"Zaikavan", "Rangmanjari", "Rasavarna", "Sugandhpath", "Rasdeep"}, []demoGood{
		{"Turmeric Powder", "Haldi of a deep yellow, ground from whole fingers.", "100 g, 200 g, 500 g", 32_00},
		{"Red Chilli Powder", "Hot lal mirch of stemless chillies.", "100 g, 200 g, 500 g", 46_00},
		{"Coriander Powder", "Dhania, roasted and ground.", "100 g, 200 g, 500 g", 30_00},
		{"Cumin Seeds", "Whole jeera, sorted by machine.", "100 g, 200 g", 58_00},
		{"Garam Masala", "Twelve spices for the end of cooking.", "50 g, 100 g", 45_00},
		{"Chaat Masala", "Tangy, with dried mango and black salt.", "50 g, 100 g", 35_00},
		{"Sambar Powder", "Roasted lentils and spices, as in the south.", "100 g, 200 g", 52_00},
		{"Black Pepper", "Whole kali mirch, sun-dried.", "50 g, 100 g", 78_00},
		{"Green Cardamom", "Bold green elaichi pods.", "25 g, 50 g", 110_00},
		{"Mustard Seeds", "Small black rai for tempering.", "100 g, 200 g", 18_00},
		{"Asafoetida (Hing)", "Compounded hing; a pinch is enough.", "25 g, 50 g", 62_00},
		{"Rock Salt", "Sendha namak for fasts.", "500 g, 1 kg", 48_00},
	}},
	{"SNA", "snacks", "Snacks & Sweets", []string{"Swaadtola", "Karakpath", "Farsanvihar", "Chakhnavar", "Khatmithi"}, []demoGood{
		{"Aloo Bhujia", "Crisp potato noodles with mint and spice.", "150 g, 400 g, 1 kg", 45_00},
		{"Moong Dal Namkeen", "Fried, salted moong dal.", "150 g, 400 g", 48_00},
		{"Masala Peanuts", "Peanuts in a coat of spiced gram flour.", "150 g, 400 g", 42_00},
		{"Banana Chips", "Thin chips of Nendran bananas, fried in coconut oil.", "150 g, 300 g", 65_00},
		{"Salted Potato Chips", "Plain potato chips with salt.", "50 g, 150 g", 20_00},
		{"Methi Khakhra", "Roasted, thin flatbread with fenugreek.", "200 g, 400 g", 70_00},
		{"Butter Murukku", "Ribbons of rice flour, fried crisp.", "200 g, 400 g", 68_00},
		{"Roasted Makhana", "Popped lotus seeds with black pepper.", "80 g, 200 g", 99_00},
		{"Ajwain Mathri", "Flaky savoury biscuits with carom seeds.", "200 g, 400 g", 58_00},
		{"Soan Papdi", "Flaky sweet with cardamom and almonds.", "250 g, 500 g", 85_00},
		{"Masala Noodles", "Instant noodles, ready in two minutes.", "1 pack, 4 packs, 12 packs", 14_00},
		{"Peanut Chikki", "Brittle of peanuts and jaggery.", "200 g, 400 g", 60_00},
	}},
	{"BEV", "beverages", "Beverages", []string{"Kohrabagan", "Sheetalpath", "Pyaludyan", "Thandaghat", "Kaapivan"}, []demoGood{
		{"Assam Tea", "Strong leaf tea (chai) that takes milk well.", "250 g, 500 g, 1 kg", 135_00},
		{"Masala Tea Bags", "Tea bags with ginger and cardamom.", "25 pieces, 100 pieces", 95_00},
		{"Filter Coffee", "Ground coffee with chicory, for the filter.", "200 g, 500 g", 128_00},
		{"Instant Coffee", "Soluble coffee granules.", "50 g, 100 g", 155_00},
		{"Mango Drink", "Sweet drink with mango pulp.", "250 ml, 1 l", 20_00},
		{"Tender Coconut Water", "Coconut water, nothing added.", "200 ml, 1 l", 45_00},
		{"Rose Sharbat", "Syrup of roses; mix it with milk or water.", "750 ml", 165_00},
		{"Jaljeera", "Powder for a sour, spicy drink.", "100 g, 200 g", 55_00},
		{"Lemon Soda", "Fizzy lemon drink with a pinch of salt.", "250 ml, 750 ml", 20_00},
		{"Drinking Water", "Packaged drinking water.", "1 l, 5 l, 20 l", 20_00},
		{"Badam Milk Mix", "Almond powder with saffron for hot or cold milk.", "200 g, 500 g", 145_00},
		{"Aam Panna", "Concentrate of green mangoes.", "750 ml", 130_00},
	}},
	{"BAK", "bakery", "Bakery", []string{"Bhattighar", "Bhordeep", "Chulhaparv", "Tandoorvan", "Snehmala"}, []demoGood{
		{"Sandwich Bread", "Soft white bread, sliced.", "400 g, 800 g", 40_00},
		{"Brown Bread", "Bread with whole wheat flour, sliced.", "400 g", 50_00},
		{"Ladi Pav", "Buns for bhaji and vada.", "6 pieces, 1 dozen", 30_00},
		{"Amritsari Kulcha", "Leavened flatbread; warm it in a pan.", "4 pieces, 8 pieces", 45_00},
		{"Elaichi Rusk", "Twice-baked toast with cardamom.", "300 g, 600 g", 50_00},
		{"Nankhatai", "Crumbly biscuits with ghee.", "200 g, 400 g", 85_00},
		{"Fruit Cake", "Loaf cake with candied fruit.", "250 g, 500 g", 95_00},
		{"Khari", "Puffed, flaky biscuits for tea.", "200 g, 400 g", 60_00},
		{"Glucose Biscuits", "Plain biscuits to dip into tea.", "100 g, 250 g, 800 g", 10_00},
		{"Jeera Cookies", "Salted cookies with cumin.", "200 g, 400 g", 55_00},
		{"Pizza Base", "Half-baked bases; top them and bake.", "2 pieces, 4 pieces", 45_00},
		{"Burger Buns", "Buns with sesame, cut open.", "4 pieces, 8 pieces", 40_00},
	}},
	{"PER", "personal-care", "Personal Care", []string{"Vanangan", "Rupmitti", "Snanvela", "Malaypath", "Keshvarna"}, []demoGood{
		{"Neem Soap", "Bathing bar with neem and tulsi.", "1 piece, 4 pieces", 38_00},
		{"Shikakai Shampoo", "Mild shampoo with shikakai and reetha.", "180 ml, 340 ml, 650 ml", 125_00},
		{"Amla Hair Oil", "Hair oil with Indian gooseberry.", "100 ml, 300 ml", 62_00},
		{"Clove Toothpaste", "Toothpaste with clove and salt.", "100 g, 200 g", 58_00},
		{"Soft Toothbrush", "Brush with soft, thin bristles.", "1 piece, 4 pieces", 35_00},
		{"Aloe Vera Gel", "Clear gel for skin and hair.", "100 ml, 200 ml", 110_00},
		{"Sandalwood Talc", "Talcum powder with the scent of sandalwood.", "100 g, 300 g", 75_00},
		{"Rose Water", "Steam-distilled gulab jal.", "100 ml, 200 ml", 65_00},
		{"Ubtan Face Pack", "Gram flour, turmeric and sandalwood.", "50 g, 100 g", 90_00},
		{"Tulsi Hand Wash", "Liquid soap for the hands.", "250 ml, 750 ml", 85_00},
		{"Shaving Cream", "Foaming cream with menthol.", "70 g, 125 g", 72_00},
		{"Cotton Wool", "Absorbent cotton in a roll.", "50 g, 100 g", 45_00},
	}},
	{"HOU", "household", "Household", []string{"Chamakdwar", "Grihangan", "Swachhvela", "Jhilmildeep", "Aanganpath"}, []demoGood{
		{"Dishwash Bar", "Bar with lime for greasy dishes.", "200 g, 500 g", 20_00},
		{"Dishwash Liquid", "Concentrate; one spoon is enough.", "500 ml, 1 l", 105_00},
		{"Detergent Powder", "Washing powder for bucket and machine.", "1 kg, 4 kg", 98_00},
		{"Liquid Detergent", "For front-loading machines.", "1 l, 2 l", 210_00},
		{"Citronella Floor Cleaner", "Cleans floors and keeps insects away.", "500 ml, 1 l", 99_00},
		{"Toilet Cleaner", "Thick cleaner against lime.", "500 ml, 1 l", 92_00},
		{"Garbage Bags", "Black bags of medium size.", "30 pieces, 90 pieces", 75_00},
		{"Sandal Agarbatti", "Incense sticks for the puja.", "20 pieces, 100 pieces", 30_00},
		{"Camphor", "Pure kapur tablets.", "50 g, 100 g", 95_00},
		{"Steel Scrubber", "For burnt pots.", "1 piece, 3 pieces", 15_00},
		{"Kitchen Towel", "Two-ply paper rolls.", "1 pack, 2 packs", 85_00},
		{"Safety Matches", "Boxes of fifty matches.", "10 pieces, 50 pieces", 20_00},
	}},
}

// buyerAddresses are the addresses of the customers in turn. The people are invented,
// and no telephone number in India begins with 5.
var buyerAddresses = []delivery.Address{
	{Name: "Asha Rao", Phone: "+915080040012", Line1: "12 Lake Road", City: "Bengaluru", State: "Karnataka", Pincode: "560034"},
	{Name: "Ravi Menon", Phone: "+915020030045", Line1: "Flat 4, Sai Kunj", City: "Pune", State: "Maharashtra", Pincode: "411004"},
	{Name: "Meera Iyer", Phone: "+915040070033", Line1: "7 Temple Street", City: "Chennai", State: "Tamil Nadu", Pincode: "600004"},
	{Name: "Imran Khan", Phone: "+915060010078", Line1: "21 Civil Lines", City: "Lucknow", State: "Uttar Pradesh", Pincode: "226001"},
}

// orderNotes are the notes of orders, most of them blank.
var orderNotes = []string{
	"", "", "", "", "Please ring once; the baby sleeps.", "Leave it with the guard.", "Call before you come.", "Second gate, behind the temple.",
}

// cancelReasons are the reasons of cancelled orders.
var cancelReasons = []string{"", "Ordered twice.", "Not at home at that time.", "Found some in the larder."}
